// The command line of an emitted engine: run, chat, logits, bench, verify, devices, info. Results go to standard
// output, everything else to standard error. Nothing but the program is needed of the model, so an emitted main is one
// line; and no header of a library reaches it.
#pragma once

namespace monomorph {

struct Program;

/// Gives the exit status: 0 done; 1 rejected (checkpoint, tokens, a prompt too long, a device that disagrees with the
/// reference); 2 usage or files; 3 a fault of the engine; 4 no usable device or too little of its memory. Interrupted
/// (Ctrl-C), a command ends the process by the signal, 130 to a shell: files are whole or absent, and what `run` drew
/// until then stands on standard output.
int run_command_line(int argc, char** argv, const Program& program);

}  // namespace monomorph
