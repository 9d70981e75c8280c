package workload

import (
	"bufio"
	"fmt"
	"path"
	"slices"
	"strings"
)

// rule is a line of a map: a key that matches the pattern has the name.
type rule struct{ pattern, name string }

// parseRules reads lines of `PATTERN NAME`, where PATTERN may contain * and ?; a word that begins with # begins a
// comment.
func parseRules(what, text, want string) ([]rule, error) {
	var rules []rule
	scanner := bufio.NewScanner(strings.NewReader(text))
	for number := 1; scanner.Scan(); number++ {
		words := strings.Fields(scanner.Text())
		if comment := slices.IndexFunc(words, func(word string) bool { return word[0] == '#' }); comment >= 0 {
			words = words[:comment]
		}
		if len(words) == 0 {
			continue
		}
		if len(words) != 2 {
			return nil, fmt.Errorf("%s, line %d: got %q, want %s", what, number, strings.Join(words, " "), want)
		}
		pattern := withoutSlash(words[0])
		if _, err := path.Match(pattern, ""); err != nil {
			return nil, fmt.Errorf("%s, line %d: got %q, want %s, with * and ? as wildcards", what, number, words[0], want)
		}
		rules = append(rules, rule{pattern, words[1]})
	}
	return rules, scanner.Err()
}

// mapped is the name of the first matching rule; false = none.
func mapped(rules []rule, name string) (string, bool) {
	name = withoutSlash(name)
	for _, r := range rules {
		if fits, _ := path.Match(r.pattern, name); fits {
			return r.name, true
		}
	}
	return "", false
}

// withoutSlash is a text in which * and ? match what a slash was: names of an OpenID provider begin with its URL.
func withoutSlash(text string) string { return strings.ReplaceAll(text, "/", "\x00") }
