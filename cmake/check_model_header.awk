# awk -v class=NAME -f check_model_header.awk HEADER: finds members of a model that lack MANYCHAIN_HD.
#
# A C++ compiler cannot see it: the macro is an attribute to it, and only nvcc would object. This reads the text, and
# refuses no right code: it looks at the member templates of class NAME alone, it passes over whatever it does not know
# (a macro of the user's own, a requires-clause), and over headers with conditional compilation.
{ text = text $0 "\n" }

END {
  strip()
  depth = 0
  begin = class_body()
  if (begin == 0 || conditional) exit 0
  line = newlines(substr(text, 1, begin))
  head = ""
  for (i = begin + 1; i <= length(text); ++i) {
    c = substr(text, i, 1)
    if (c == "\n") ++line
    if (c == "{") {
      if (depth++ == 0) look_at(head)
    } else if (c == "}") {
      if (depth-- == 0) exit faults > 0
      head = ""
    } else if (depth == 0) {
      if (c == ";") head = ""
      else {
        if (head ~ /^[ \n\t]*$/ && c !~ /[ \n\t]/) first_line = line
        head = head c
        sub(/^[ \n\t]*(public|private|protected)[ \n\t]*:/, "", head)
      }
    }
  }
  exit faults > 0
}

# Blanks comments and literals, and notes whether there is more conditional compilation than an include guard.
function strip(   out, i, c, two, quote, n, lines, k) {
  for (i = 1; i <= length(text); ++i) {
    c = substr(text, i, 1)
    two = substr(text, i, 2)
    if (two == "//") {
      while (i < length(text) && substr(text, i + 1, 1) != "\n") ++i
    } else if (two == "/*") {
      for (i += 2; i <= length(text) && substr(text, i, 2) != "*/"; ++i)
        if (substr(text, i, 1) == "\n") out = out "\n"
      ++i
    } else if (c == "\"" || c == "'" && substr(text, i - 1, 1) !~ /[0-9A-Za-z]/) {
      for (quote = c; ++i <= length(text) && (c = substr(text, i, 1)) != quote && c != "\n";)
        if (c == "\\") ++i
    } else {
      out = out c
    }
  }
  n = split(out, lines, "\n")
  text = ""
  for (k = 1; k <= n; ++k) {
    if (lines[k] ~ /^[ \t]*#[ \t]*(if|elif|else)/ && !(lines[k] ~ /#[ \t]*ifndef/ && lines[k + 1] ~ /#[ \t]*define/))
      conditional = 1
    if (lines[k] ~ /^[ \t]*#/) lines[k] = ""
    text = text lines[k] "\n"
  }
}

# Where the { of the class definition stands; 0: nowhere.
function class_body(   at, rest, place) {
  rest = text
  at = 0
  while (match(rest, "(struct|class)[ \n\t]+" class "[ \n\t{:]")) {
    at += RSTART
    rest = substr(rest, RSTART + 1)
    if (match(rest, /^[^;{]*{/)) {
      place = at + RLENGTH
      return place
    }
  }
  return 0
}

function newlines(s) { return gsub(/\n/, "", s) + 1 }

# The head of a member's definition, up to its {.
function look_at(head,   name, parameters, tokens, known, n, k, before) {
  gsub(/[ \n\t]+/, " ", head)
  if (!match(head, /(log_density|parameters|value_and_gradient|value|score|conditionals|proposal|independent_proposal|draw) ?\(/)) return
  name = substr(head, RSTART, RLENGTH)
  sub(/ ?\($/, "", name)
  before = substr(head, 1, RSTART - 1)
  if (before !~ /^ ?template ?</ || before !~ / $/) return
  # the template's own parameters, then what stands between them and the name
  n = index(before, "<")
  for (k = 1; k > 0 && n < length(before);) {
    c = substr(before, ++n, 1)
    if (c == "<") ++k
    if (c == ">") --k
  }
  parameters = substr(before, 1, n)
  before = substr(before, n + 1)
  gsub(/\[\[[^]]*\]\]/, "", before)
  n = split(before, tokens, " ")
  for (k = 1; k <= n; ++k) {
    known = tokens[k] ~ /^(inline|void|auto|bool|int|float|double|(manychain::)?Compensated<[A-Za-z_]+>)$/
    if (!known && tokens[k] ~ /^[A-Za-z_][A-Za-z_0-9]*$/)
      known = parameters ~ ("(class|typename) " tokens[k] "[ ,>]")
    if (!known) return
  }
  printf "%s:%d: error: %s lacks MANYCHAIN_HD, without which it cannot run on a GPU: write template <...> MANYCHAIN_HD %s%s(...)\n", \
    FILENAME, first_line, name, substr(before, 2), name | "cat 1>&2"
  ++faults
}
