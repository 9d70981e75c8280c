package workload

import (
	"bufio"
	"fmt"
	"path"
	"strings"
)

// rule is a line of a map: a key that matches the pattern has the name.
type rule struct{ pattern, name string }

// parseRules reads lines of `PATTERN NAME`, where PATTERN may contain * and ?; # begins a comment.
func parseRules(what, text, want string) ([]rule, error) {
	var rules []rule
	scanner := bufio.NewScanner(strings.NewReader(text))
	for number := 1; scanner.Scan(); number++ {
		line, _, _ := strings.Cut(scanner.Text(), "#")
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		if len(words) != 2 {
			return nil, fmt.Errorf("%s, line %d: got %q, want %s", what, number, strings.TrimSpace(line), want)
		}
		if _, err := path.Match(words[0], ""); err != nil {
			return nil, fmt.Errorf("%s, line %d: got %q, want %s, with * and ? as wildcards", what, number, words[0], want)
		}
		rules = append(rules, rule{words[0], words[1]})
	}
	return rules, scanner.Err()
}

// mapped is the name of the first matching rule; false = none.
func mapped(rules []rule, name string) (string, bool) {
	for _, r := range rules {
		if fits, _ := path.Match(r.pattern, name); fits {
			return r.name, true
		}
	}
	return "", false
}
