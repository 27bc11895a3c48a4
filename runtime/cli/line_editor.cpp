#include "runtime/cli/line_editor.hpp"

#include <histedit.h>
#include <langinfo.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "runtime/cli/input.hpp"
#include "runtime/cli/interrupt.hpp"
#include "runtime/cli/output.hpp"
#include "runtime/tokenizer/utf8.hpp"

namespace monomorph::cli {
namespace {

namespace fs = std::filesystem;

constexpr int longest_history = 1000;
constexpr wchar_t ctrl_c = 3;

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
    ::el_set(edit_, EL_ADDFN, "throw-away", "Throws the line away", throw_away);
    ::el_set(edit_, EL_BIND, "^C", "throw-away", nullptr);
    ::el_set(edit_, EL_BIND, "-a", "^C", "throw-away", nullptr);
    ::el_set(edit_, EL_ADDFN, "stop", "Stops the process", stop);
    ::el_set(edit_, EL_BIND, "^Z", "stop", nullptr);
    ::el_set(edit_, EL_BIND, "-a", "^Z", "stop", nullptr);
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
    const InterruptGuard guard;
    prompt_ = prompt;
    thrown_away_.reset();
    invalid_ = false;
    ::el_set(edit_, EL_PREP_TERM, 1);  // before the prompt is seen: what is typed then is typed at it
    int count = 0;
    const char* const given = ::el_gets(edit_, &count);
    if (thrown_away_) return {Line::Kind::interrupted, *thrown_away_};
    if (given == nullptr || count <= 0) {
      print_error("\n");
      return {Line::Kind::end, ""};
    }
    std::string text(given, static_cast<std::size_t>(count));
    if (text.ends_with('\n')) text.pop_back();
    if (!invalid_) remember(text);
    return {invalid_ ? Line::Kind::invalid : Line::Kind::text, text};
  }

 private:
  static EditedLines& self(EditLine* edit) {
    void* data = nullptr;
    ::el_get(edit, EL_CLIENTDATA, &data);
    return *static_cast<EditedLines*>(data);
  }

  static char* show_prompt(EditLine* edit) { return self(edit).prompt_.data(); }

  /// As poll does. A signal before it, too, is heard.
  static int wait_for_input() {
    sigset_t interrupt, before;
    ::sigemptyset(&interrupt);
    ::sigaddset(&interrupt, SIGINT);
    ::sigprocmask(SIG_BLOCK, &interrupt, &before);
    pollfd waiting{STDIN_FILENO, POLLIN, 0};
    const int ready = interrupted() ? 0 : ::ppoll(&waiting, 1, nullptr, &before);
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    return ready;
  }

  /// libedit's own passes over bytes that are no character, and hears no signal.
  static int next_character(EditLine* edit, wchar_t* character) {
    EditedLines& lines = self(edit);
    while (true) {
      if (const std::optional<char32_t> known = lines.take_character()) {
        *character = static_cast<wchar_t>(*known);
        return 1;
      }
      const int ready = wait_for_input();
      if (interrupted()) {
        *character = ctrl_c;
        return 1;
      }
      if (ready < 0 && errno == EINTR) continue;
      char byte;
      const ssize_t count = ready < 0 ? -1 : ::read(STDIN_FILENO, &byte, 1);
      if (count <= 0) return static_cast<int>(count);
      lines.bytes_ += byte;
    }
  }

  /// The character at the front of the bytes that were read, U+FFFD for bytes that are none; nothing where more are
  /// needed.
  std::optional<char32_t> take_character() {
    if (bytes_.empty()) return std::nullopt;
    const Utf8Step step = utf8_step(bytes_);
    if (step.kind == Utf8Step::Kind::incomplete) return std::nullopt;
    invalid_ = invalid_ || step.kind == Utf8Step::Kind::invalid;
    std::size_t length = step.length;
    const char32_t point = step.kind == Utf8Step::Kind::invalid ? U'\ufffd' : utf8_code_point(bytes_, length);
    bytes_.erase(0, length);
    return point;
  }

  static unsigned char throw_away(EditLine* edit, int) {
    const LineInfo* const line = ::el_line(edit);
    self(edit).thrown_away_.emplace(line->buffer, line->lastchar);
    print_error("^C\n");
    return CC_NEWLINE;
  }

  /// libedit's own way works once a line.
  static unsigned char stop(EditLine* edit, int) {
    ::el_set(edit, EL_PREP_TERM, 0);
    ::kill(0, SIGTSTP);
    ::el_set(edit, EL_PREP_TERM, 1);
    return CC_REDISPLAY;
  }

  /// Written at once, since Ctrl-C may end the process; another process never sees half of it.
  void remember(const std::string& text) {
    if (text.empty()) return;
    HistEvent event;
    ::history(history_, &event, H_ENTER, text.c_str());
    if (path_.empty()) return;
    const std::string temporary = path_.string() + "." + std::to_string(::getpid()) + ".tmp";
    std::error_code ignored;
    if (::history(history_, &event, H_SAVE, temporary.c_str()) >= 0) fs::rename(temporary, path_, ignored);
    fs::remove(temporary, ignored);
  }

  fs::path path_;
  History* history_;
  EditLine* edit_ = nullptr;
  std::string prompt_;
  std::string bytes_;  ///< that were read and are no character yet
  bool invalid_ = false;
  std::optional<std::string> thrown_away_;
};

}  // namespace

bool at_terminal() { return ::isatty(STDIN_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1; }

std::unique_ptr<Lines> open_lines() {
  if (at_terminal()) return std::make_unique<EditedLines>();
  return std::make_unique<PipeLines>();
}

}  // namespace monomorph::cli
