// SPDX-License-Identifier: Apache-2.0
#include "tacet/cli/shell_editor.h"

#include <histedit.h>
#include <locale.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cwchar>

#include "tacet/catalog/identifier.h"
#include "tacet/cli/shell_history.h"

namespace tacet::cli {
namespace {

// All that a signal handler may touch.
std::atomic<bool> is_continued = false;
void NoteContinued(int /*signal*/) { is_continued = true; }

// Text is UTF-8 whatever the user's language; libedit asks the thread's locale. Elsewhere nothing
// may depend on it, so it holds only while libedit runs.
class InLocale {
 public:
  explicit InLocale(locale_t locale) : before_(uselocale(locale)) {}
  InLocale(const InLocale&) = delete;
  InLocale& operator=(const InLocale&) = delete;
  ~InLocale() { uselocale(before_); }

 private:
  locale_t before_;
};

locale_t Utf8() {
  constexpr locale_t kNone = nullptr;
  const locale_t locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", kNone);
  return locale != kNone ? locale : newlocale(LC_CTYPE_MASK, "", kNone);
}

size_t CharacterCount(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char letter) {
    return (static_cast<unsigned char>(letter) & 0xC0) != 0x80;
  }));
}

struct Size {
  unsigned rows = 24;
  unsigned columns = 80;
  bool operator==(const Size&) const = default;
};

Size SizeOf(std::FILE* terminal) {
  struct winsize size = {};
  if (ioctl(fileno(terminal), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return {};
  return {.rows = size.ws_row, .columns = size.ws_col};
}

// In columns as wide as the longest.
std::string ListText(const std::vector<std::string>& words, size_t width) {
  constexpr size_t kShownMax = 200;
  constexpr size_t kGap = 2;
  size_t longest = 0;
  for (const std::string& word : words) longest = std::max(longest, CharacterCount(word));
  const size_t columns = std::max<size_t>(1, width / (longest + kGap));
  std::string text;
  for (size_t i = 0; i < words.size() && i < kShownMax; ++i) {
    text += words[i];
    const bool is_last = (i + 1) % columns == 0 || i + 1 == words.size();
    text += is_last ? "\n" : std::string(longest + kGap - CharacterCount(words[i]), ' ');
  }
  if (words.size() > kShownMax) text += "... " + std::to_string(words.size()) + " in all\n";
  return text;
}

}  // namespace

struct ShellEditor::Library {
  Library(const Terminal& where, const Interrupts& signals, Completer words)
      : terminal(where), interrupts(signals), completer(std::move(words)), locale(Utf8()) {}
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library();

  Status Start();
  // Looks after the screen until something was typed.
  Status Wait();

  static Library& Of(EditLine* editline) {
    void* self = nullptr;
    el_get(editline, EL_CLIENTDATA, &self);
    return *static_cast<Library*>(self);
  }
  static char* Prompt(EditLine* editline) { return Of(editline).prompt.data(); }
  static int ReadCharacter(EditLine* editline, wchar_t* to);
  static unsigned char CompleteWord(EditLine* editline, int key);

  const Terminal& terminal;
  const Interrupts& interrupts;
  Completer completer;
  locale_t locale;
  std::string prompt = {};
  Status failure = {};  // of the line that is being read
  Size size = {};
  EditLine* editline = nullptr;
  History* entries = nullptr;
  struct sigaction before = {};
};

ShellEditor::Library::~Library() {
  if (editline != nullptr) {
    const InLocale guard(locale);
    sigaction(SIGCONT, &before, nullptr);
    el_end(editline);
  }
  if (entries != nullptr) history_end(entries);
  if (locale != nullptr) freelocale(locale);
}

Status ShellEditor::Library::Start() {
  const InLocale guard(locale);
  const auto failed = [] {
    return Error{.code = Code::kIo,
                 .message = "this terminal cannot be used for editing lines",
                 .hint = "give statements with -c or on standard input."};
  };
  entries = history_init();
  if (entries == nullptr) return failed();
  editline = el_init("tacet", terminal.in, terminal.out, terminal.err);
  if (editline == nullptr) return failed();
  struct sigaction action = {};
  action.sa_handler = NoteContinued;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(SIGCONT, &action, &before);
  HistEvent event = {};
  history(entries, &event, H_SETSIZE, static_cast<int>(ShellHistory::kEntriesMax));
  history(entries, &event, H_SETUNIQUE, 1);
  el_set(editline, EL_CLIENTDATA, this);
  el_set(editline, EL_PROMPT, &Library::Prompt);
  // Signals are ours: libedit's own handlers would pass them on to the whole process group.
  el_set(editline, EL_SIGNAL, 0);
  el_set(editline, EL_GETCFN, &Library::ReadCharacter);
  el_set(editline, EL_EDITOR, "emacs");
  el_set(editline, EL_HIST, &history, entries);
  // Wide, because el_set would keep copies of the two words for ever.
  el_wset(editline, EL_ADDFN, L"tacet-complete", L"Complete the word", &Library::CompleteWord);
  el_set(editline, EL_BIND, "^I", "tacet-complete", nullptr);
  el_set(editline, EL_BIND, "^R", "em-inc-search-prev", nullptr);
  el_source(editline, nullptr);
  return {};
}

Status ShellEditor::Library::Wait() {
  for (;;) {
    TACET_TRY(const bool is_ready, WaitForInput(fileno(terminal.in), interrupts));
    const bool was_stopped = is_continued.exchange(false);
    const Size now = SizeOf(terminal.out);
    if (was_stopped) {
      // Whoever had the terminal in between has left it in another state.
      el_set(editline, EL_PREP_TERM, 0);
      el_set(editline, EL_PREP_TERM, 1);
    }
    if (was_stopped || now != size) {
      size = now;
      el_resize(editline);
      terminal.Print("\r");  // libedit draws from where the cursor is
      el_set(editline, EL_REFRESH);
    }
    if (is_ready) return {};
  }
}

int ShellEditor::Library::ReadCharacter(EditLine* editline, wchar_t* to) {
  Library& self = Of(editline);
  std::mbstate_t state = {};
  for (;;) {
    self.failure = self.Wait();
    if (!self.failure.ok()) return -1;
    char byte = 0;
    const ssize_t count = read(fileno(self.terminal.in), &byte, 1);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return 0;  // the terminal is gone
    const size_t used = std::mbrtowc(to, &byte, 1, &state);
    constexpr auto kNotUtf8 = static_cast<size_t>(-1);
    constexpr auto kMoreToCome = static_cast<size_t>(-2);
    if (used == kNotUtf8) state = {};
    if (used != kNotUtf8 && used != kMoreToCome) return 1;
  }
}

unsigned char ShellEditor::Library::CompleteWord(EditLine* editline, int /*key*/) {
  Library& self = Of(editline);
  const LineInfo* line = el_line(editline);
  const std::string before(line->buffer, line->cursor);
  const Completion completion = self.completer(before);
  const std::vector<std::string>& words = completion.words;
  if (words.empty()) return CC_REFRESH_BEEP;
  const std::string typed = before.substr(before.size() - completion.word_bytes);
  std::string better = CommonBeginning(words);
  if (words.size() == 1) better += ' ';
  if (better.size() > typed.size()) {
    el_deletestr(editline, static_cast<int>(CharacterCount(typed)));
    return el_insertstr(editline, better.c_str()) == 0 ? CC_REFRESH : CC_ERROR;
  }
  self.terminal.Print("\n" + ListText(words, SizeOf(self.terminal.out).columns));
  return CC_REDISPLAY;
}

Result<std::unique_ptr<ShellEditor>> ShellEditor::Create(const Terminal& terminal,
                                                         const Interrupts& interrupts,
                                                         Completer completer) {
  auto library = std::make_unique<Library>(terminal, interrupts, std::move(completer));
  TACET_RETURN_IF_ERROR(library->Start());
  return std::unique_ptr<ShellEditor>(new ShellEditor(std::move(library)));
}

ShellEditor::ShellEditor(std::unique_ptr<Library> library) : library_(std::move(library)) {}
ShellEditor::~ShellEditor() = default;

Result<std::optional<std::string>> ShellEditor::ReadLine(const std::string& prompt) {
  const InLocale guard(library_->locale);
  library_->prompt = prompt;
  library_->failure = {};
  library_->size = SizeOf(library_->terminal.out);
  is_continued = false;
  int count = 0;
  const char* text = el_gets(library_->editline, &count);
  if (!library_->failure.ok()) return library_->failure.error();
  if (text == nullptr || count <= 0) return std::optional<std::string>();
  std::string line(text);
  if (line.ends_with('\n')) line.pop_back();
  return std::optional(std::move(line));
}

void ShellEditor::Remember(const std::string& entry) {
  // What is not UTF-8 cannot be shown for editing.
  if (!IsUtf8(entry)) return;
  const InLocale guard(library_->locale);
  HistEvent event = {};
  history(library_->entries, &event, H_ENTER, entry.c_str());
}

}  // namespace tacet::cli
