const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~';
const SIZE = 24;

const number = (text) => [...text].reduce((sum, digit) => sum * 83 + DIGITS.indexOf(digit), 0);
const linear = (value) => (value <= 10.31475 ? value / 3294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4);
const encoded = (value) => {
    const part = Math.max(0, Math.min(1, value));
    return Math.round((part <= 0.0031308 ? part * 12.92 : 1.055 * part ** (1 / 2.4) - 0.055) * 255);
};
const signedSquare = (step) => Math.sign(step - 9) * ((step - 9) / 9) ** 2;

/** The colours of a BlurHash (https://blurha.sh) as 24 by 24 pixels with four bytes each; null for a text that is not a BlurHash. */
export function blurPixels(hash) {
    if (!/^[0-9A-Za-z#$%*+,\-.:;=?@[\]^_{|}~]{6,}$/.test(hash)) return null;
    const [columns, rows] = [(number(hash[0]) % 9) + 1, Math.floor(number(hash[0]) / 9) + 1];
    if (hash.length !== 4 + 2 * columns * rows) return null;
    const most = (number(hash[1]) + 1) / 166;
    const average = number(hash.slice(2, 6));
    const colours = [[average >> 16, (average >> 8) & 255, average & 255].map(linear)];
    for (let place = 6; place < hash.length; place += 2) {
        const value = number(hash.slice(place, place + 2));
        colours.push([Math.floor(value / 361), Math.floor(value / 19) % 19, value % 19].map((each) => signedSquare(each) * most));
    }
    const pixels = new Uint8ClampedArray(SIZE * SIZE * 4);
    for (let y = 0; y < SIZE; y += 1) {
        for (let x = 0; x < SIZE; x += 1) {
            const sum = [0, 0, 0];
            for (const [place, colour] of colours.entries()) {
                const wave = Math.cos((Math.PI * x * (place % columns)) / SIZE) * Math.cos((Math.PI * y * Math.floor(place / columns)) / SIZE);
                for (let band = 0; band < 3; band += 1) sum[band] += colour[band] * wave;
            }
            pixels.set([...sum.map(encoded), 255], (y * SIZE + x) * 4);
        }
    }
    return pixels;
}

/** A canvas with the colours of a picture that is still on its way; null without a BlurHash. */
export function blurCanvas(hash) {
    const pixels = hash && blurPixels(hash);
    if (!pixels) return null;
    const canvas = Object.assign(document.createElement('canvas'), { width: SIZE, height: SIZE, className: 'blur' });
    canvas.getContext('2d').putImageData(new ImageData(pixels, SIZE), 0, 0);
    return canvas;
}
