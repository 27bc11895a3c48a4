// A sum over the workgroup, for any workgroup and subgroup size. Every invocation gets the result.
shared float workgroup_partials[workgroup_size];

float workgroup_sum(float value) {
  const float partial = subgroupAdd(value);
  if (workgroup_size == subgroup_size) return partial;  // spares CPU drivers the barriers
  barrier();  // the partials of an earlier reduction have been read
  if (subgroupElect()) workgroup_partials[gl_SubgroupID] = partial;
  barrier();
  float total = 0.0;
  for (uint i = gl_SubgroupInvocationID; i < gl_NumSubgroups; i += gl_SubgroupSize) total += workgroup_partials[i];
  return subgroupAdd(total);
}
