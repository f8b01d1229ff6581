// SPDX-License-Identifier: Apache-2.0
#include "tacet/cli/demo_stage.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "tacet/cli/program.h"

namespace tacet::cli {
namespace {

// Lines for reading are no longer than this, however wide the screen is.
constexpr size_t kProseWidthMax = 88;

size_t WidthOf(std::FILE* screen) {
  constexpr size_t kUsual = 100;
  struct winsize size = {};
  if (ioctl(fileno(screen), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsual;
  return size.ws_col;
}

// Breaks `text` at blanks into lines of at most `width`; those after the first begin with `indent`.
std::string Wrapped(std::string_view text, size_t width, std::string_view indent) {
  std::string wrapped;
  size_t used = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    if (used > 0 && used + 1 + end > width) {
      wrapped += "\n";
      wrapped += indent;
      used = indent.size();
    } else if (used > 0) {
      wrapped += ' ';
      ++used;
    }
    wrapped += text.substr(0, end);
    used += end;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return wrapped;
}

// A word as a shell would have to be given it.
std::string Quoted(const std::string& word) {
  const bool is_plain = word.find_first_of(" *()'\"<>|$;&") == std::string::npos;
  return is_plain ? word : "\"" + word + "\"";
}

// A command as it would be typed, in lines of at most `width` where that can be: a shell takes the
// end of a line for a blank inside quotes only.
std::string CommandLine(const std::vector<std::string>& words, size_t width) {
  constexpr char kUnbroken = '\x1f';
  std::string line = "$ tacet";
  for (const std::string& word : words) line += " " + Quoted(word);
  bool is_quoted = false;
  for (char& letter : line) {
    if (letter == '"') is_quoted = !is_quoted;
    if (letter == ' ' && !is_quoted) letter = kUnbroken;
  }
  line = Wrapped(line, width, "    ");
  std::replace(line.begin(), line.end(), kUnbroken, ' ');
  return line;
}

// What a command wrote; its output and its errors, in their order.
class Capture {
 public:
  Capture() : file_(open_memstream(&bytes_, &size_)) {}
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;
  ~Capture() {
    if (file_ != nullptr) std::fclose(file_);
    std::free(bytes_);
  }

  std::FILE* file() const { return file_; }
  std::string_view text() const {
    std::fflush(file_);
    return {bytes_, size_};
  }

 private:
  char* bytes_ = nullptr;
  size_t size_ = 0;
  std::FILE* file_;
};

// The first `columns` characters of a line; what a terminal does not show as one counts as none.
std::string Cut(std::string_view line, size_t columns) {
  size_t shown = 0;
  bool is_escape = false;
  for (size_t i = 0; i < line.size(); ++i) {
    const auto byte = static_cast<unsigned char>(line[i]);
    const bool begins = (byte & 0xC0) != 0x80;
    if (byte == 0x1b) is_escape = true;
    if (!is_escape && begins && ++shown > columns) {
      const bool is_colored = line.find('\x1b') != std::string_view::npos;
      return std::string(line.substr(0, i)) + (is_colored ? "\x1b[0m" : "");
    }
    if (is_escape && byte == 'm') is_escape = false;
  }
  return std::string(line);
}

std::string Taken(std::string_view output, const Excerpt& excerpt, size_t columns) {
  std::string text;
  for (size_t lines = 0; !output.empty(); ++lines) {
    if (excerpt.lines_max > 0 && lines == excerpt.lines_max) return text + "...\n";
    const size_t end = std::min(output.find('\n'), output.size());
    const std::string_view line = output.substr(0, end);
    text += excerpt.is_wide ? Cut(line, columns) : std::string(line);
    if (end < output.size()) text += "\n";  // colours end behind the last line
    output.remove_prefix(std::min(end + 1, output.size()));
  }
  return text;
}

}  // namespace

Stage::Stage(const Terminal& terminal, const Interrupts& interrupts)
    : terminal_(terminal), interrupts_(interrupts) {}

void Stage::Title(std::string_view text) const {
  const size_t width = std::min(WidthOf(terminal_.out), kProseWidthMax);
  terminal_.Print("\n" + terminal_.Strong(Wrapped(text, width, ""), terminal_.out) + "\n");
}

void Stage::Say(std::string_view text) const {
  const size_t width = std::min(WidthOf(terminal_.out), kProseWidthMax);
  terminal_.Print(Wrapped(text, width, "") + "\n");
}

void Stage::ShowLine(std::string_view line) const {
  terminal_.Print(terminal_.Strong("$ " + std::string(line), terminal_.out) + "\n");
}

Status Stage::Show(const std::vector<std::string>& words, const Excerpt& excerpt) const {
  const size_t width = WidthOf(terminal_.out);
  const std::string line = CommandLine(words, std::min(width, kProseWidthMax));
  terminal_.Print(terminal_.Strong(line, terminal_.out) + "\n");
  TACET_RETURN_IF_ERROR(Check());

  const Capture capture;
  if (capture.file() == nullptr) {
    return Error{.code = Code::kIo, .message = "there is not enough memory"};
  }
  const Color color = terminal_.IsColored(terminal_.out) ? Color::kAlways : Color::kNever;
  const int status =
      RunProgram(words, {.out = capture.file(), .err = capture.file(), .color = color});
  const bool is_expected = status == excerpt.status;
  // An interrupt is told of once, where the demonstration ends.
  if (status != Info(Code::kInterrupted).exit_status) {
    terminal_.Print(Taken(capture.text(), is_expected ? excerpt : Excerpt(), width));
  }
  TACET_RETURN_IF_ERROR(Check());
  if (is_expected) return {};
  return Error{.code = Code::kIo,
               .message = fmt::format("'tacet {}' ended with status {}; what it said is above",
                                      words.front(), status)};
}

Result<bool> Stage::WaitForReader() const {
  if (isatty(fileno(terminal_.in)) != 1 || isatty(fileno(terminal_.out)) != 1) return true;
  terminal_.Print("\n" + terminal_.Faint("Enter: next, q: stop ", terminal_.out));
  std::fflush(terminal_.out);
  std::string answer;
  for (;;) {
    struct pollfd ready = {.fd = fileno(terminal_.in), .events = POLLIN, .revents = 0};
    constexpr int kPauseMs = 200;  // a signal may come just before the wait
    const int found = poll(&ready, 1, kPauseMs);
    TACET_RETURN_IF_ERROR(Check());
    if (found == 0 || (found < 0 && errno == EINTR)) continue;
    std::array<char, 256> bytes;
    const ssize_t count = read(ready.fd, bytes.data(), bytes.size());
    if (count <= 0) return false;
    answer.append(bytes.data(), static_cast<size_t>(count));
    if (answer.back() == '\n') return answer.front() != 'q' && answer.front() != 'Q';
  }
}

Status Stage::Check() const {
  if (interrupts_.requested()) {
    return Error{.code = Code::kInterrupted, .message = "interrupted"};
  }
  if (std::fflush(terminal_.out) == 0 && std::ferror(terminal_.out) == 0) return {};
  return Error{.code = Code::kIo, .message = "cannot write to standard output"};
}

}  // namespace tacet::cli
