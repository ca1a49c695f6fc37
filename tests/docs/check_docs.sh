#!/bin/sh
# The documentation names nothing that is not there, and quotes code as it is:
#   - the target of every relative link exists, and so does every path in backticks that begins with a folder of ours
#     (a * in it must match something; <...> stands for anything and is not looked at);
#   - a code block below a line <!-- from FILE --> stands in FILE, as it is;
#   - in README.md and docs/ every block of C, C++ or CMake has such a line: what readers copy has been compiled.
#
#   check_docs.sh ROOT
set -u
cd "$1" || exit 1
faults=$(mktemp)
trap 'rm -f "$faults"' EXIT
files=$(ls ./*.md && find bench data docs examples include kernels scripts src tests -name '*.md' 2>/dev/null)
files=$(echo "$files" | sed 's,^\./,,' | sort)
[ -n "$files" ] || { echo "no Markdown files in $1"; exit 1; }

for file in $files; do
  folder=$(dirname "$file")

  awk '/^```/ { code = !code } !code && !/^    /' "$file" | sed 's/`[^`]*`//g' | grep -oE '\]\([^)]+\)' | sed 's/^](//; s/)$//; s/ .*//; s/#.*//' | grep -vE '^([a-z]+:|$)' | sort -u |
    while read -r target; do
      [ -e "$folder/$target" ] || echo "$file: link to $target"
    done >>"$faults"

  ours='(\.ci|bench|cmake|data|docs|examples|include|kernels|scripts|src|tests)'
  grep -oE "\`$ours/[^\` ]*\`" "$file" | tr -d '\140' | grep -v '<' | sort -u |
    while read -r path; do
      [ "${path%/}" = bench/results ] && continue # there with the first result
      # shellcheck disable=SC2086 # a * is meant to be expanded
      ls -d $path >/dev/null 2>&1 || echo "$file: path $path"
    done >>"$faults"

  case "$file" in README.md | docs/*) strict=1 ;; *) strict=0 ;; esac
  awk -v file="$file" -v strict=$strict '
    function read_all(name,   line, text) {
      while ((getline line < name) > 0) text = text line "\n"
      close(name)
      return text
    }
    /^<!-- from .* -->$/ { source = $3; next }
    /^```/ && !inside { inside = 1; begin = FNR; language = substr($0, 4); block = ""; next }
    /^```/ && inside {
      inside = 0
      if (source != "") {
        text = read_all(source)
        if (text == "") printf "%s:%d: there is no file %s\n", file, begin, source
        else if (index(text, block) == 0) printf "%s:%d: the block does not stand in %s\n", file, begin, source
      } else if (strict && language ~ /^(c|cpp|c\+\+|cmake)$/)
        printf "%s:%d: a block of %s that is quoted from no file\n", file, begin, language
      source = ""
      next
    }
    inside { block = block $0 "\n"; next }
    /[^ ]/ { source = "" }
    END { if (inside) printf "%s:%d: a code block without end\n", file, begin }
  ' "$file" >>"$faults"
done

if [ -s "$faults" ]; then
  cat "$faults"
  exit 1
fi
echo "Right: $(echo "$files" | wc -l) files."
