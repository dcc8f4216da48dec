/** Reads pages of metrics in the text format of Prometheus, and computes rates and quantiles between two of them. */

const LINE = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/i;
const LABEL = /([a-z_]+)="((?:[^"\\]|\\.)*)"/gi;

/** @returns {Map<string, {labels: object, value: number}[]>} the samples by name */
export function parse(page) {
    const samples = new Map();
    for (const line of page.split('\n')) {
        const found = LINE.exec(line);
        if (!found) continue;
        const [, name, labels, value] = found;
        if (!samples.has(name)) samples.set(name, []);
        samples.get(name).push({ labels: Object.fromEntries([...(labels ?? '').matchAll(LABEL)].map((each) => [each[1], each[2]])), value: Number(value) });
    }
    return samples;
}

const all = (samples, name, isMeant = () => true) => (samples?.get(name) ?? []).filter((each) => isMeant(each.labels));

/** The sum of the samples of a name; undefined if there are none. */
export function total(samples, name, isMeant) {
    const found = all(samples, name, isMeant);
    return found.length ? found.reduce((sum, each) => sum + each.value, 0) : undefined;
}

/** The buckets of a histogram, those of all labels added up: `[bound, count]` in order. */
export function buckets(samples, name) {
    const sums = new Map();
    for (const { labels, value } of all(samples, `${name}_bucket`)) {
        const bound = labels.le === '+Inf' ? Infinity : Number(labels.le);
        sums.set(bound, (sums.get(bound) ?? 0) + value);
    }
    return [...sums].sort((one, other) => one[0] - other[0]);
}

/** The buckets of the observations in between. */
export const between = (before, after) =>
    after.map(([bound, count]) => [bound, count - (before.find((each) => each[0] === bound)?.[1] ?? 0)]);

/** Adds up the buckets of several instances. */
export function joined(histograms) {
    const sums = new Map();
    for (const [bound, count] of histograms.flat()) sums.set(bound, (sums.get(bound) ?? 0) + count);
    return [...sums].sort((one, other) => one[0] - other[0]);
}

/** The value below which a share of all lies, by a line within its bucket; undefined if there is nothing. */
export function quantile(histogram, share) {
    const wanted = (histogram.at(-1)?.[1] ?? 0) * share;
    if (!wanted) return undefined;
    let [low, under] = [0, 0];
    for (const [bound, count] of histogram) {
        if (count >= wanted) return bound === Infinity ? low : low + (bound - low) * ((wanted - under) / (count - under));
        [low, under] = [bound, count];
    }
    return low;
}
