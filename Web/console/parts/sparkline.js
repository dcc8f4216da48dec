const SVG = 'http://www.w3.org/2000/svg';
const [WIDTH, HEIGHT] = [160, 36];

/** A line of values, the newest at the right. The number beside it says the same to screen readers. */
export function sparkline(values) {
    const svg = document.createElementNS(SVG, 'svg');
    for (const [name, value] of Object.entries({ viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: WIDTH, height: HEIGHT, class: 'spark', 'aria-hidden': 'true' })) {
        svg.setAttribute(name, value);
    }
    const top = Math.max(...values, 1e-9);
    const step = WIDTH / Math.max(values.length - 1, 1);
    const line = document.createElementNS(SVG, 'polyline');
    line.setAttribute('points', values.map((each, index) => `${(index * step).toFixed(1)},${(HEIGHT - 2 - (each / top) * (HEIGHT - 4)).toFixed(1)}`).join(' '));
    svg.append(line);
    return svg;
}
