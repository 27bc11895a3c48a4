// What a unit of weights is multiplied with.
struct Inputs {
  vec4 quads[unit_quads];
};
