/** QR codes (ISO/IEC 18004): texts as bytes, with error correction M, which reads with fifteen per cent of it lost. */

// For the versions 1 to 20: the correcting bytes of a block, and the number of blocks.
const CORRECTION = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26];
const BLOCKS = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16];

const MASKS = [
    (x, y) => (x + y) % 2, (x, y) => y % 2, (x) => x % 3, (x, y) => (x + y) % 3, (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2,
    (x, y) => ((x * y) % 2) + ((x * y) % 3), (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2, (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2,
];

/**
 * The modules of the code of a text, row by row; true is dark. The quiet zone around it is left to the caller.
 * @returns {boolean[][]}
 */
export function qrModules(text) {
    const bytes = new TextEncoder().encode(text);
    const version = CORRECTION.findIndex((_, place) => bytes.length + 3 <= dataBytes(place + 1)) + 1;
    if (!version) throw new RangeError('The text is too long for a QR code.');
    const words = interleaved(filled(bytes, version), version);
    const candidates = MASKS.map((_, mask) => drawn(words, version, mask));
    return candidates.reduce((best, each) => (penalty(each) < penalty(best) ? each : best));
}

/** All bytes of a version. */
function allBytes(version) {
    let bits = (16 * version + 128) * version + 64;
    if (version > 1) {
        const patterns = Math.floor(version / 7) + 2;
        bits -= (25 * patterns - 10) * patterns - 55;
    }
    return Math.floor((version > 6 ? bits - 36 : bits) / 8);
}

const dataBytes = (version) => allBytes(version) - CORRECTION[version - 1] * BLOCKS[version - 1];

/** The mode, the length and the text, filled up to the size of the version. */
function filled(bytes, version) {
    const bits = [];
    const add = (value, count) => {
        for (let place = count - 1; place >= 0; place -= 1) bits.push((value >> place) & 1);
    };
    add(0b0100, 4);
    add(bytes.length, version < 10 ? 8 : 16);
    for (const each of bytes) add(each, 8);
    const size = dataBytes(version) * 8;
    add(0, Math.min(4, size - bits.length));
    while (bits.length % 8) bits.push(0);
    for (let fill = 0xec; bits.length < size; fill ^= 0xec ^ 0x11) add(fill, 8);
    return Array.from({ length: size / 8 }, (_, place) => parseInt(bits.slice(place * 8, place * 8 + 8).join(''), 2));
}

function times(one, other) {
    let product = 0;
    for (let place = 7; place >= 0; place -= 1) {
        product = (product << 1) ^ ((product >> 7) * 0x11d);
        product ^= ((other >> place) & 1) * one;
    }
    return product;
}

/** The correcting bytes of a block (Reed-Solomon). */
function correction(block, count) {
    const divisor = [...Array(count - 1).fill(0), 1];
    for (let step = 0, root = 1; step < count; step += 1, root = times(root, 2)) {
        for (let place = 0; place < count; place += 1) divisor[place] = times(divisor[place], root) ^ (divisor[place + 1] ?? 0);
    }
    const rest = Array(count).fill(0);
    for (const each of block) {
        const factor = each ^ rest.shift();
        rest.push(0);
        for (const [place, part] of divisor.entries()) rest[place] ^= times(part, factor);
    }
    return rest;
}

/** The blocks with their correcting bytes, byte by byte from each. */
function interleaved(data, version) {
    const count = BLOCKS[version - 1];
    const short = count - (data.length % count);
    const size = Math.floor(data.length / count);
    const blocks = Array.from({ length: count }, (_, place) => {
        const start = place * size + Math.max(0, place - short);
        return data.slice(start, start + size + (place < short ? 0 : 1));
    });
    const checks = blocks.map((each) => correction(each, CORRECTION[version - 1]));
    const mixed = (lists) => Array.from({ length: Math.max(...lists.map((each) => each.length)) }, (_, place) => lists.map((each) => each[place])).flat();
    return [...mixed(blocks), ...mixed(checks)].filter((each) => each !== undefined);
}

function drawn(words, version, mask) {
    const size = version * 4 + 17;
    const modules = Array.from({ length: size }, () => Array(size).fill(null));
    const set = (x, y, dark) => {
        if (x >= 0 && y >= 0 && x < size && y < size) modules[y][x] = !!dark;
    };
    const square = (x, y, reach, isDark) => {
        for (let down = -reach; down <= reach; down += 1) {
            for (let right = -reach; right <= reach; right += 1) set(x + right, y + down, isDark(Math.max(Math.abs(right), Math.abs(down))));
        }
    };
    for (let place = 0; place < size; place += 1) for (const [x, y] of [[6, place], [place, 6]]) set(x, y, place % 2 === 0);
    for (const [x, y] of [[3, 3], [size - 4, 3], [3, size - 4]]) square(x, y, 4, (far) => far !== 2 && far !== 4);
    const centres = alignment(version, size);
    for (const x of centres) {
        for (const y of centres) {
            const isFinder = (x === 6 && y === 6) || (x === 6 && y === size - 7) || (x === size - 7 && y === 6);
            if (!isFinder) square(x, y, 2, (far) => far !== 1);
        }
    }
    drawFormat(set, size, mask);
    drawVersion(set, size, version);
    drawData(modules, words, mask);
    return modules;
}

function alignment(version, size) {
    if (version === 1) return [];
    const count = Math.floor(version / 7) + 2;
    const step = Math.ceil((version * 4 + 4) / (count * 2 - 2)) * 2;
    return [6, ...Array.from({ length: count - 1 }, (_, place) => size - 7 - place * step).reverse()];
}

function drawFormat(set, size, mask) {
    // Level M is 0.
    let rest = mask;
    for (let step = 0; step < 10; step += 1) rest = (rest << 1) ^ ((rest >> 9) * 0x537);
    const bits = ((mask << 10) | rest) ^ 0x5412;
    const bit = (place) => (bits >> place) & 1;
    for (let place = 0; place < 6; place += 1) set(8, place, bit(place));
    for (const [x, y, place] of [[8, 7, 6], [8, 8, 7], [7, 8, 8]]) set(x, y, bit(place));
    for (let place = 9; place < 15; place += 1) set(14 - place, 8, bit(place));
    for (let place = 0; place < 8; place += 1) set(size - 1 - place, 8, bit(place));
    for (let place = 8; place < 15; place += 1) set(8, size - 15 + place, bit(place));
    set(8, size - 8, true);
}

function drawVersion(set, size, version) {
    if (version < 7) return;
    let rest = version;
    for (let step = 0; step < 12; step += 1) rest = (rest << 1) ^ ((rest >> 11) * 0x1f25);
    const bits = (version << 12) | rest;
    for (let place = 0; place < 18; place += 1) {
        const [far, near] = [size - 11 + (place % 3), Math.floor(place / 3)];
        for (const [x, y] of [[far, near], [near, far]]) set(x, y, (bits >> place) & 1);
    }
}

/** Fills the free modules from the lower right, two columns at a time, up and down. */
function drawData(modules, words, mask) {
    const size = modules.length;
    const free = modules.map((row) => row.map((each) => each === null));
    let place = 0;
    for (let right = size - 1; right > 0; right -= 2) {
        if (right === 6) right = 5;
        for (let step = 0; step < size; step += 1) {
            for (const x of [right, right - 1]) {
                const y = ((right + 1) & 2) === 0 ? size - 1 - step : step;
                if (!free[y][x]) continue;
                const bit = ((words[place >> 3] ?? 0) >> (7 - (place & 7))) & 1;
                modules[y][x] = !!bit !== (MASKS[mask](x, y) === 0);
                place += 1;
            }
        }
    }
}

/** How hard a code is to read: long runs, blocks, patterns like the corners, and too much of one colour. */
function penalty(modules) {
    const size = modules.length;
    const columns = modules[0].map((_, x) => modules.map((row) => row[x]));
    let sum = 0;
    for (const line of [...modules, ...columns]) {
        const text = line.map(Number).join('');
        for (const run of text.match(/0{5,}|1{5,}/g) ?? []) sum += run.length - 2;
        sum += 40 * (text.match(/(?=00001011101|10111010000)/g) ?? []).length;
    }
    for (let y = 1; y < size; y += 1) {
        for (let x = 1; x < size; x += 1) {
            if (modules[y][x] === modules[y - 1][x] && modules[y][x] === modules[y][x - 1] && modules[y][x] === modules[y - 1][x - 1]) sum += 3;
        }
    }
    const dark = modules.flat().filter(Boolean).length;
    return sum + 10 * Math.floor(Math.abs((dark * 20) / size ** 2 - 10));
}
