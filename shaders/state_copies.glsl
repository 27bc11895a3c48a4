// Which of a recurrent state's copies a pass reads and writes. The first pass of a submission leaves what it goes on from
// alone; later ones go on from what that wrote.
uint copy_written(uint slot) { return pass.slots[slot].copy_to; }
uint copy_read(uint slot) { return pass.slots[slot].drawn == 0 ? pass.slots[slot].copy_from : copy_written(slot); }
