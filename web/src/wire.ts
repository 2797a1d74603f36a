/**
 * Questions and answers as bytes, between the page and Python: `featmap.explorer.wire` is the other side and describes
 * the form.
 */

import { typedArrays, type ElementType, type Numbers } from "./record";

type Plain = null | boolean | number | string | Plain[] | { [name: string]: Plain };

const ALIGNMENT = 8;

/** A value of objects, lists, texts, numbers and arrays as bytes. */
export function packed(value: unknown): Uint8Array<ArrayBuffer> {
  const arrays: Numbers[] = [];
  const plain = plainOf(value, arrays);
  const table = arrays.map((array) => [typeOf(array), array.length]);
  const head = new TextEncoder().encode(JSON.stringify({ value: plain, arrays: table }));
  const starts: number[] = [];
  let size = 4 + head.length;
  for (const array of arrays) {
    starts.push(aligned(size));
    size = aligned(size) + array.byteLength;
  }
  const bytes = new Uint8Array(size);
  new DataView(bytes.buffer).setUint32(0, head.length, true);
  bytes.set(head, 4);
  arrays.forEach((array, i) => {
    bytes.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), starts[i]);
  });
  return bytes;
}

/** The value that Python has packed. */
export function unpacked(bytes: Uint8Array<ArrayBuffer>): unknown {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length))) as {
    value: Plain;
    arrays: [ElementType, number][];
  };
  let end = 4 + length;
  const arrays = head.arrays.map(([type, size]) => {
    const Type = typedArrays[type];
    const start = aligned(end);
    end = start + size * Type.BYTES_PER_ELEMENT;
    return new Type(bytes.slice(start, end).buffer);
  });
  return wholeOf(head.value, arrays);
}

function aligned(size: number): number {
  return Math.ceil(size / ALIGNMENT) * ALIGNMENT;
}

function typeOf(array: Numbers): ElementType {
  const found = Object.entries(typedArrays).find(([, Type]) => array instanceof Type);
  return found![0] as ElementType;
}

function plainOf(value: unknown, arrays: Numbers[]): Plain {
  if (ArrayBuffer.isView(value)) return { array: arrays.push(value as Numbers) - 1 };
  if (Array.isArray(value)) return value.map((inner) => plainOf(inner, arrays));
  if (typeof value === "number" && !Number.isFinite(value)) return { number: String(value) };
  if (typeof value !== "object" || value === null) return value as Plain;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plainOf(inner, arrays)]));
}

function wholeOf(value: Plain, arrays: Numbers[]): unknown {
  if (Array.isArray(value)) return value.map((inner) => wholeOf(inner, arrays));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  if (entries.length === 1 && entries[0][0] === "array") return arrays[value["array"] as number];
  if (entries.length === 1 && entries[0][0] === "number") return Number(value["number"]);
  return Object.fromEntries(entries.map(([name, inner]) => [name, wholeOf(inner, arrays)]));
}
