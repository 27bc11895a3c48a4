//! stage = { type = "choice", values = ["layers", "head"], sample = "layers", is = "what a row of the pass is: a token, or a row whose logits are wanted" }
//% if stage == head
uint rows_in_use() { return pass.head_rows; }
//% else
uint rows_in_use() { return pass.token_count; }
//% end

