#include "runtime/cli/line_editor.hpp"

#include <fmt/format.h>
#include <histedit.h>
#include <langinfo.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cwchar>
#include <cwctype>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "runtime/cli/input.hpp"
#include "runtime/cli/interrupt.hpp"
#include "runtime/cli/output.hpp"
#include "runtime/cli/typed_bytes.hpp"
#include "runtime/error.hpp"
#include "runtime/formats/atomic_file.hpp"
#include "runtime/tokenizer/utf8.hpp"

namespace monomorph::cli {
namespace {

namespace fs = std::filesystem;

constexpr int longest_history = 1000;
constexpr wchar_t ctrl_c = 3;
constexpr wchar_t paste_key = 0x1f;             // stands for what was pasted; as a key, Ctrl-_, it has no meaning
constexpr timespec escape_time{0, 50'000'000};  // within which a terminal sends what follows Escape

class PipeLines final : public Lines {
 public:
  Line read(const std::string&) override {
    std::size_t end;
    while ((end = pending_.find('\n')) == std::string::npos && input_.read(pending_)) {
    }
    if (pending_.empty()) return {Line::Kind::end, ""};
    std::string text = pending_.substr(0, end);
    pending_.erase(0, end == std::string::npos ? end : end + 1);
    if (text.ends_with('\r')) text.pop_back();  // lines of a file from Windows
    const bool invalid = utf8_error(text) != std::string_view::npos;
    return {invalid ? Line::Kind::invalid : Line::Kind::text, std::move(text)};
  }

 private:
  Input input_{"-"};
  std::string pending_;
};

/// Empty where there is no place for one.
fs::path history_path() {
  fs::path directory;
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state == '/') {
    directory = state;
  } else if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') {
    directory = fs::path(home) / ".local/state";
  } else {
    return {};
  }
  std::error_code error;
  fs::create_directories(directory / "monomorph", error);
  return error ? fs::path() : directory / "monomorph" / "history";
}

/// Rows that a text takes before its last one, as the terminal shows it: control characters as two.
int rows_before_last(std::wstring_view text, int columns) {
  int rows = 0, column = 0;
  for (const wchar_t c : text) {
    const int width = c == L'\t'                                   ? 8 - column % 8
                      : c == L'\n'                                 ? 0
                      : std::iswcntrl(static_cast<wint_t>(c)) != 0 ? 2
                                                                   : ::wcwidth(c);
    const bool wraps = column + width > columns;
    if (wraps || c == L'\n') ++rows;
    column = c == L'\n' ? 0 : wraps ? width : column + width;
  }
  return rows + (column == columns ? 1 : 0);
}

/// While answers are drawn Ctrl-C leaves what was typed ahead. The terminal is given back as it was, by whatever the
/// chat ends that can be heard.
class KeptInput {
 public:
  KeptInput() {
    if (::tcgetattr(STDIN_FILENO, &before()) == 0) set_last_call(restore);
  }
  ~KeptInput() { set_last_call(nullptr); }
  KeptInput(const KeptInput&) = delete;
  KeptInput& operator=(const KeptInput&) = delete;

  /// libedit sets it with the modes that it gives back between lines, and takes it away at its end.
  static void keep(EditLine* edit) { ::el_set(edit, EL_SETTY, "-x", "+noflsh", nullptr); }

 private:
  static termios& before() {
    static termios settings;
    return settings;
  }
  static void restore() { ::tcsetattr(STDIN_FILENO, TCSANOW, &before()); }
};

/// A resize of the terminal ends what waits for input. libedit's own handler works once a line, and gives way to this
/// one.
class ResizeGuard {
 public:
  ResizeGuard() {
    struct sigaction action{};
    action.sa_handler = [](int) {};
    action.sa_flags = SA_RESTART;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(SIGWINCH, &action, &before_);
  }
  ~ResizeGuard() { ::sigaction(SIGWINCH, &before_, nullptr); }
  ResizeGuard(const ResizeGuard&) = delete;
  ResizeGuard& operator=(const ResizeGuard&) = delete;

 private:
  struct sigaction before_{};
};

class EditedLines final : public Lines {
 public:
  EditedLines() : path_(history_path()), history_(::history_init()) {
    // libedit takes and gives text in the locale's encoding.
    std::setlocale(LC_CTYPE, "");
    if (std::strcmp(::nl_langinfo(CODESET), "UTF-8") != 0) std::setlocale(LC_CTYPE, "C.UTF-8");
    edit_ = ::el_init("monomorph", stdin, stderr, stderr);
    ::el_set(edit_, EL_CLIENTDATA, this);
    ::el_set(edit_, EL_PROMPT, show_prompt);
    ::el_set(edit_, EL_EDITOR, "emacs");
    ::el_set(edit_, EL_SIGNAL, 1);  // a signal that stops or ends the process leaves the terminal as it was
    ::el_set(edit_, EL_GETCFN, next_character);
    ::el_source(edit_, nullptr);
    // Ctrl-C and Ctrl-Z are characters while a line is written. "-a": in vi's command mode, too.
    ::el_set(edit_, EL_SETTY, "-d", "-isig", nullptr);
    KeptInput::keep(edit_);
    ::el_set(edit_, EL_ADDFN, "throw-away", "Throws the line away", throw_away);
    ::el_set(edit_, EL_BIND, "^C", "throw-away", nullptr);
    ::el_set(edit_, EL_BIND, "-a", "^C", "throw-away", nullptr);
    ::el_set(edit_, EL_ADDFN, "stop", "Stops the process", stop);
    ::el_set(edit_, EL_BIND, "^Z", "stop", nullptr);
    ::el_set(edit_, EL_BIND, "-a", "^Z", "stop", nullptr);
    ::el_set(edit_, EL_ADDFN, "paste", "Inserts what was pasted", paste);
    ::el_set(edit_, EL_BIND, "^_", "paste", nullptr);
    ::el_set(edit_, EL_BIND, "-a", "^_", "paste", nullptr);
    HistEvent event;
    ::history(history_, &event, H_SETSIZE, longest_history);
    ::history(history_, &event, H_SETUNIQUE, 1);
    if (!path_.empty()) ::history(history_, &event, H_LOAD, path_.c_str());
    ::el_set(edit_, EL_HIST, ::history, history_);
  }
  ~EditedLines() override {
    ::el_end(edit_);
    ::history_end(history_);
  }
  EditedLines(const EditedLines&) = delete;
  EditedLines& operator=(const EditedLines&) = delete;

  Line read(const std::string& prompt) override {
    const InterruptGuard interrupt_guard;
    const ResizeGuard resize_guard;
    prompt_ = prompt;
    thrown_away_.reset();
    typed_.take_invalid();
    ::el_set(edit_, EL_PREP_TERM, 1);  // before the prompt is seen: what is typed then is typed at it
    print_error(marks_pastes);
    columns_ = columns();
    int count = 0;
    const char* const given = ::el_gets(edit_, &count);
    print_error(marks_no_pastes);
    if (thrown_away_) return {Line::Kind::interrupted, *thrown_away_};
    if (given == nullptr || count <= 0) {
      print_error("\n");
      return {Line::Kind::end, ""};
    }
    std::string text(given, static_cast<std::size_t>(count));
    if (text.ends_with('\n')) text.pop_back();
    const bool invalid = typed_.take_invalid();
    if (!invalid) remember(text);
    return {invalid ? Line::Kind::invalid : Line::Kind::text, text};
  }

 private:
  static EditedLines& self(EditLine* edit) {
    void* data = nullptr;
    ::el_get(edit, EL_CLIENTDATA, &data);
    return *static_cast<EditedLines*>(data);
  }

  static char* show_prompt(EditLine* edit) { return self(edit).prompt_.data(); }

  /// As poll does. Ctrl-C and a resize before it, too, are heard.
  int wait_for_input(const timespec* most) {
    sigset_t heard, before;
    ::sigemptyset(&heard);
    ::sigaddset(&heard, SIGINT);
    ::sigaddset(&heard, SIGWINCH);
    ::sigprocmask(SIG_BLOCK, &heard, &before);
    redraw_where_resized();
    pollfd waiting{STDIN_FILENO, POLLIN, 0};
    const int ready = interrupted() ? 0 : ::ppoll(&waiting, 1, most, &before);
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    return ready;
  }

  /// libedit's own passes over bytes that are no character, and hears no signal.
  static int next_character(EditLine* edit, wchar_t* character) {
    EditedLines& lines = self(edit);
    bool all = false;
    while (true) {
      if (std::optional<TypedBytes::Input> input = lines.typed_.take(all)) {
        *character = input->pasted ? paste_key : input->text.front();
        if (input->pasted) lines.pasted_ = std::move(input->text);
        return 1;
      }
      const int ready = lines.wait_for_input(lines.typed_.undecided() ? &escape_time : nullptr);
      if (interrupted()) {
        *character = ctrl_c;
        return 1;
      }
      if (ready < 0 && errno == EINTR) continue;
      all = ready == 0;
      if (all) continue;
      char byte;
      const ssize_t count = ready < 0 ? -1 : ::read(STDIN_FILENO, &byte, 1);
      if (count <= 0) return static_cast<int>(count);
      lines.typed_.add(byte);
    }
  }

  static int columns() {
    winsize size{};
    return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
  }

  /// libedit draws the line anew where the cursor stands, beside what it drew before. Terminals have wrapped that at
  /// their new width: so many rows are gone back, and cleared.
  void redraw_where_resized() {
    const int before_resize = std::exchange(columns_, columns());
    if (before_resize == columns_) return;
    ::el_resize(edit_);
    const LineInfoW* const line = ::el_wline(edit_);
    std::wstring drawn(prompt_.begin(), prompt_.end());
    drawn.append(line->buffer, line->cursor);
    const int rows = rows_before_last(drawn, columns_);
    print_error(rows > 0 ? fmt::format("\x1b[{}A\r\x1b[J", rows) : "\r\x1b[J");
    ::el_set(edit_, EL_REFRESH);
  }

  /// Its newlines are no ends of the message.
  static unsigned char paste(EditLine* edit, int) {
    const std::wstring text = std::exchange(self(edit).pasted_, {});
    return text.empty() || ::el_winsertstr(edit, text.c_str()) == 0 ? CC_REFRESH : CC_ERROR;
  }

  static unsigned char throw_away(EditLine* edit, int) {
    const LineInfo* const line = ::el_line(edit);
    self(edit).thrown_away_.emplace(line->buffer, line->lastchar);
    print_error("^C\n");
    return CC_NEWLINE;
  }

  /// libedit's own way works once a line.
  static unsigned char stop(EditLine* edit, int) {
    print_error(marks_no_pastes);
    ::el_set(edit, EL_PREP_TERM, 0);
    ::kill(0, SIGTSTP);
    ::el_set(edit, EL_PREP_TERM, 1);
    print_error(marks_pastes);
    return CC_REDISPLAY;
  }

  /// Written at once, since Ctrl-C may end the process; another process never sees half of it.
  void remember(const std::string& text) {
    if (text.empty()) return;
    HistEvent event;
    ::history(history_, &event, H_ENTER, text.c_str());
    if (path_.empty()) return;
    try {
      AtomicFile file(path_, 0600);
      std::FILE* const stream = ::fdopen(::dup(file.descriptor()), "w");
      if (stream == nullptr) return;
      const bool written = ::history(history_, &event, H_SAVE_FP, stream) >= 0;
      if (std::fclose(stream) == 0 && written) file.commit();
    } catch (const Error&) {
    }
  }

  KeptInput kept_input_;  // before libedit sets the terminal
  fs::path path_;
  History* history_;
  EditLine* edit_ = nullptr;
  std::string prompt_;
  TypedBytes typed_;
  std::wstring pasted_;  ///< what `paste` inserts next
  int columns_ = 0;      ///< of the terminal when the line was drawn
  std::optional<std::string> thrown_away_;
};

}  // namespace

bool at_terminal() { return ::isatty(STDIN_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1; }

std::unique_ptr<Lines> open_lines() {
  if (at_terminal()) return std::make_unique<EditedLines>();
  return std::make_unique<PipeLines>();
}

}  // namespace monomorph::cli
