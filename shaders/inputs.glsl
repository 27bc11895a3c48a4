// What a unit of weights is multiplied with.
struct Inputs {
  vec4 quads[unit_quads];
  float sums[unit_groups];  // of each group; what has no minima leaves them alone
};

void sum_inputs(inout Inputs x);
