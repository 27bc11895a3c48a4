// The step: what host and device share of one pass. runtime/program/step.hpp is its twin and says what each field is; the generator
// compares the offsets of both. The including kernel gives max_batch, decode_steps, max_head_rows and max_tokens.
struct StepSlot {
  uint next_position;
  uint stop_position;
  uint drawn;
  uint done;
  uint wrong;
  uint top_k;
  float inverse_temperature;
  uint top_p;
  uint least_mass;
  uint seed_low;
  uint seed_high;
  uint angle_offset;
  uint source_length;
  uint copy_from;
  uint copy_to;
  uint eos_count;
  uint eos_tokens[8];
};
struct StepRow {
  uint row;
  uint slot;
};
struct StepRun {
  uint first_row;
  uint rows;
};
struct StepToken {
  uint id;
  uint position;
  uint slot;
  uint flags;
};
struct StepBlock {
  uint token_count;
  uint head_rows;
  uint draw_count;
  uint live;
  uint run_count;
  StepSlot slots[max_batch];
  uint drawn[max_batch * decode_steps];
  StepRow rows[max_head_rows];
  StepRun runs[max_batch];
  StepToken tokens[max_tokens];
};
const uint token_writes = 1;      // of a token's flags: its slot is running, and states are written
const uint token_type_shift = 8;  // bits of a token's flags below its type
