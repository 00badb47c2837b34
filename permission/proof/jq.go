package proof

import (
	"strings"
	"sync"
)

// jqWords are the names of jq 1.7 (manual, "Builtin operators and functions") that
// compute, end, and reach no environment, file or module.
var jqWords = sync.OnceValue(func() map[string]bool {
	return wordSet(`
and or not if then elif else end as try catch reduce foreach label break null true false
empty error add any all flatten range floor ceil round fabs abs sqrt pow log exp log2 log10 exp2 exp10 significand
tostring tonumber type nan isinfinite isnan isnormal isvalid toarray
sort sort_by group_by min max min_by max_by unique unique_by reverse contains inside startswith endswith
explode implode split join ascii ascii_downcase ascii_upcase transpose bsearch splits sub gsub test match capture scan
ltrimstr rtrimstr trim ltrim rtrim length utf8bytelength keys keys_unsorted values has in map map_values paths leaf_paths
del to_entries from_entries with_entries select pick arrays objects iterables booleans numbers strings nulls scalars
tojson fromjson todate fromdate now date dateadd datesub gmtime localtime mktime strftime strptime strflocaltime
fromdateiso8601 todateiso8601 dateiso8601 first last nth limit indices index rindex walk getpath setpath delpaths
combinations IN INDEX input inputs input_line_number tostream fromstream truncate_stream`)
})

func wordSet(s string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(s) {
		set[w] = true
	}
	return set
}

// jqLooks reads a jq filter as tokens. A name after a dot is a field, after $ a
// variable; any other name must be on the list.
func jqLooks(_ *judgement, filter string) error {
	j := jqReader{text: filter}
	return j.read(0)
}

type jqReader struct {
	text string
	at   int
}

// read goes on to the end, or to the parenthesis that closes an interpolation.
func (j *jqReader) read(depth int) error {
	if depth > deepest {
		return doubtf("the jq filter is nested too deeply")
	}
	var open []byte // brackets that are open
	ranging := 0    // brackets that were open where range( began, plus one
	before := byte(0)
	for j.at < len(j.text) {
		c := j.text[j.at]
		switch {
		case c == '"':
			j.at++
			if err := j.quoted(depth); err != nil {
				return err
			}
		case c == '#':
			return doubtf("the jq filter has a comment")
		case c == ';' && ranging > 0 && len(open) >= ranging && strings.Contains(j.text[j.at+1:], ";"):
			return doubtf("the jq range has a step, with which it may never end")
		case c == '(' || c == '[' || c == '{':
			open = append(open, c)
			j.at++
		case c == ')' || c == ']' || c == '}':
			j.at++
			if len(open) == 0 {
				if depth > 0 && c == ')' {
					return nil
				}
				return doubtf("the jq filter does not parse")
			}
			open = open[:len(open)-1]
		case isName(j.text[j.at : j.at+1]):
			start, touching := j.at, byte(0)
			if start > 0 {
				touching = j.text[start-1]
			}
			if strings.HasPrefix(j.text[j.at:], "range") {
				ranging = len(open) + 1
			}
			for j.at < len(j.text) && (isName(j.text[j.at:j.at+1]) || j.text[j.at] >= '0' && j.text[j.at] <= '9') {
				j.at++
			}
			if err := jqName(j.text[start:j.at], touching, before, len(open) > 0 && open[len(open)-1] == '{', strings.TrimLeft(j.text[j.at:], " \t\n")); err != nil {
				return err
			}
		case c >= '0' && c <= '9':
			start := j.at
			for j.at < len(j.text) && strings.IndexByte("0123456789.", j.text[j.at]) >= 0 {
				j.at++
			}
			if j.at-start > 6 || j.at < len(j.text) && (j.text[j.at] == 'e' || j.text[j.at] == 'E') {
				return doubtf("the jq filter has a number so large that it may never end")
			}
			if j.at < len(j.text) && isName(j.text[j.at:j.at+1]) {
				return doubtf("the jq filter is not proved") // 1.env is a number and a name
			}
		default:
			j.at++
		}
		if c != ' ' && c != '\t' && c != '\n' {
			before = c
		}
	}
	if depth > 0 {
		return doubtf("the jq filter does not parse")
	}
	return nil
}

// jqName judges a name by the byte right before it, the last byte before it that is
// no blank, whether it stands directly in an object, and what follows.
func jqName(name string, touching, before byte, inObject bool, rest string) error {
	switch {
	case before == '$':
		if name == "ENV" || strings.HasPrefix(name, "__") {
			return doubtf("the jq filter reads $%s", name)
		}
		return nil
	case touching == '.' || touching == '@':
		return nil
	case inObject && (before == '{' || before == ',') && rest != "" && strings.IndexByte(":,}", rest[0]) >= 0:
		return nil // a key of an object: {name: …} or {name}, which is {name: .name}
	case name == "recurse" && !strings.HasPrefix(rest, "("):
		return nil
	case !jqWords()[name]:
		return doubtf("the jq word %s is not on the list", name)
	}
	return nil
}

// quoted skips a string, reading what is interpolated as \( … ).
func (j *jqReader) quoted(depth int) error {
	for j.at < len(j.text) {
		switch j.text[j.at] {
		case '"':
			j.at++
			return nil
		case '\\':
			if strings.HasPrefix(j.text[j.at:], `\(`) {
				j.at += 2
				if err := j.read(depth + 1); err != nil {
					return err
				}
				continue
			}
			j.at += 2
		default:
			j.at++
		}
	}
	return doubtf("the jq filter does not parse")
}
