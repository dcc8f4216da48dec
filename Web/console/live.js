import { operator } from './operator.js';
import { between, buckets, joined, parse, quantile, total } from './metrics.js';
import { Emitter } from '../maru/emitter.js';

const EVERY = 2000;
// The rates are those of the last ten seconds, and a line shows two minutes.
const WINDOW = 5;
const KEPT = 60;

/** Reads the state and the metrics of all instances every two seconds, while a page listens to `changed`. */
class Live extends Emitter {
    /** By the address: `{service, place, address, status, samples: [{at, metrics}]}`, newest sample last. */
    instances = new Map();
    error = null;
    #listeners = 0;
    #isRunning = false;

    /** Listens until the returned function is called. */
    follow(listener) {
        const end = this.on('changed', listener);
        this.#listeners += 1;
        if (!this.#isRunning) this.#run();
        return () => {
            end();
            this.#listeners -= 1;
        };
    }

    async #run() {
        this.#isRunning = true;
        while (this.#listeners && operator.isSignedIn) {
            if (!document.hidden) await this.#readAll();
            await new Promise((resolve) => setTimeout(resolve, EVERY));
        }
        this.#isRunning = false;
    }

    async #readAll() {
        try {
            const listed = await operator.instances();
            await Promise.all(listed.map((each) => this.#read(each)));
            this.#leaveOut(listed);
            this.error = null;
        } catch (error) {
            this.error = error;
        }
        this.emit('changed');
    }

    async #read(instance) {
        const known = this.instances.get(instance.address);
        const place = known ?? { ...instance, samples: [] };
        try {
            place.status = await operator.ask(instance, '/operator/status');
            const page = place.status && (await operator.ask(instance, '/metrics'));
            if (page) place.samples.push({ at: performance.now(), metrics: parse(page) });
            place.samples.splice(0, place.samples.length - KEPT);
            place.isSilent = !page;
        } catch (error) {
            if (error.status === 401) throw error;
            place.isSilent = true;
            place.status = { state: error.text };
        }
        if (known || place.status) this.instances.set(instance.address, place);
        // A process that has ended is gone, and a new one begins anew.
        if (place.isSilent && !place.status) this.instances.delete(instance.address);
        const started = (sample) => total(sample?.metrics, 'process_start_time_seconds');
        if (started(place.samples.at(-2)) !== started(place.samples.at(-1))) place.samples.splice(0, place.samples.length - 1);
    }

    /** An address without a listener is not shown, unless its service has no other. */
    #leaveOut(listed) {
        for (const address of this.instances.keys()) {
            if (!listed.some((each) => each.address === address)) this.instances.delete(address);
        }
        for (const each of listed) {
            if (![...this.instances.values()].some((other) => other.service === each.service)) {
                this.instances.set(each.address, { ...each, samples: [], status: null, isSilent: true });
            }
        }
    }

    of(service) {
        return [...this.instances.values()].filter((each) => !service || each.service === service);
    }

    get isReady() {
        return this.instances.size > 0;
    }
}

const newest = (instance) => instance.samples.at(-1);
const earlier = (instance, back = 0) => instance.samples.at(Math.max(-instance.samples.length, -1 - WINDOW - back));

/** A counter's growth a second, over the instances; undefined before there are two readings. */
export function rate(instances, name, isMeant) {
    const found = instances.filter((each) => each.samples.length > 1);
    if (!found.length) return undefined;
    return found.reduce((sum, each) => {
        const [before, after] = [earlier(each), newest(each)];
        const grown = (total(after.metrics, name, isMeant) ?? 0) - (total(before.metrics, name, isMeant) ?? 0);
        return sum + (grown * 1000) / (after.at - before.at);
    }, 0);
}

/** The rates between all readings, for a line. */
export function rates(instances, name, isMeant) {
    const length = Math.max(0, ...instances.map((each) => each.samples.length));
    return Array.from({ length: Math.max(0, length - 1) }, (_, index) => instances.reduce((sum, { samples }) => {
        const at = samples.length - length + index;
        if (at < 0) return sum;
        const [before, after] = [samples[at], samples[at + 1]];
        return sum + (((total(after.metrics, name, isMeant) ?? 0) - (total(before.metrics, name, isMeant) ?? 0)) * 1000) / (after.at - before.at);
    }, 0));
}

/** A quantile of the last seconds of a histogram in seconds; undefined if nothing came in. */
export const recent = (instances, name, share) => quantile(joined(instances.filter((each) => each.samples.length > 1)
    .map((each) => between(buckets(earlier(each).metrics, name), buckets(newest(each).metrics, name)))), share);

/** The sum of the newest values of a gauge. */
export const gauge = (instances, name, isMeant) =>
    instances.reduce((sum, each) => sum + (total(newest(each)?.metrics, name, isMeant) ?? 0), 0);

export const live = new Live();
