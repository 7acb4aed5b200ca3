// A Llama of the size of a billion weights whose file takes little room on the disk: most of its layers are holes.
import { closeSync, cpSync, ftruncateSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const [D, INNER, HEADS, GROUPS, LAYERS, VOCABULARY] = [2048, 8192, 32, 8, 16, 128_256];
const HEAD = D / HEADS;
/** The layer that has weights; those before it are zero, and pass their tokens on as they are. */
export const FULL_LAYER = 3;
/** The bytes of a layer, whose weights have two each. */
export const LAYER_BYTES = 2 * (2 * D * D + 2 * D * GROUPS * HEAD + 3 * D * INNER + 2 * D);

const of_layer = (layer) => Object.entries({
  'input_layernorm.weight': [D],
  'mlp.down_proj.weight': [D, INNER],
  'mlp.gate_proj.weight': [INNER, D],
  'mlp.up_proj.weight': [INNER, D],
  'post_attention_layernorm.weight': [D],
  'self_attn.k_proj.weight': [GROUPS * HEAD, D],
  'self_attn.o_proj.weight': [D, D],
  'self_attn.q_proj.weight': [D, D],
  'self_attn.v_proj.weight': [GROUPS * HEAD, D],
}).map(([name, shape]) => [`model.layers.${layer}.${name}`, shape]);

/** `count` numbers in bfloat16 between 1/64 and 1/32, of either sign. */
function numbers(count, seed) {
  const bits = new Uint16Array(count);
  let state = seed;
  for (let at = 0; at < count; at += 1) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    bits[at] = 0x3c80 | (state & 0x807f);
  }
  return bits;
}

/** Writes the model into a folder, with the tokenizer and the text of `small`. */
export function writeLargeLlama(folder, small) {
  const tensors = [
    ['model.embed_tokens.weight', [VOCABULARY, D]],
    ...Array.from({ length: LAYERS }, (_, layer) => of_layer(layer)).flat(),
    ['model.norm.weight', [D]],
  ];
  let end = 0;
  const header = Object.fromEntries(tensors.map(([name, shape]) => {
    const begin = end;
    end += 2 * shape.reduce((product, size) => product * size, 1);
    return [name, { dtype: 'BF16', shape, data_offsets: [begin, end] }];
  }));
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  const file = openSync(join(folder, 'model.safetensors'), 'w');
  writeSync(file, Buffer.concat([length, text]));
  const data = 8 + text.length;
  ftruncateSync(file, data + end);
  const put = (name, bits) => writeSync(file, new Uint8Array(bits.buffer), 0, bits.byteLength, data + header[name].data_offsets[0]);
  // The small tokenizer has 64 tokens.
  put('model.embed_tokens.weight', numbers(64 * D, 7));
  for (const [at, [name, shape]] of of_layer(FULL_LAYER).entries()) {
    put(name, shape.length === 1 ? new Uint16Array(D).fill(0x3f80) : numbers(shape[0] * shape[1], at + 1));
  }
  closeSync(file);
  writeFileSync(join(folder, 'config.json'), JSON.stringify({
    architectures: ['LlamaForCausalLM'],
    model_type: 'llama',
    hidden_size: D,
    intermediate_size: INNER,
    num_attention_heads: HEADS,
    num_key_value_heads: GROUPS,
    num_hidden_layers: LAYERS,
    vocab_size: VOCABULARY,
    max_position_embeddings: 2048,
    hidden_act: 'silu',
    rms_norm_eps: 1e-5,
    rope_theta: 500_000,
    tie_word_embeddings: true,
  }));
  cpSync(join(small, 'tokenizer.json'), join(folder, 'tokenizer.json'));
}
