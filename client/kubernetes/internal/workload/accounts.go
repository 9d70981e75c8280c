package workload

import (
	"bufio"
	"fmt"
	"path"
	"strings"
)

// AccountLabel of a namespace names the account that its Workloads are charged to.
const AccountLabel = "priorityd/account"

// Accounts says which account a namespace is charged to. The zero value knows labels and names only.
type Accounts struct{ rules []accountRule }

type accountRule struct{ pattern, account string }

// ParseAccounts reads lines of `NAMESPACE ACCOUNT`, where NAMESPACE may have * and ? in it; # begins a
// comment. The first line that fits a namespace holds.
func ParseAccounts(text string) (Accounts, error) {
	var accounts Accounts
	scanner := bufio.NewScanner(strings.NewReader(text))
	for number := 1; scanner.Scan(); number++ {
		line, _, _ := strings.Cut(scanner.Text(), "#")
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		if len(words) != 2 {
			return Accounts{}, fmt.Errorf("accounts, line %d: got %q, want NAMESPACE ACCOUNT", number, strings.TrimSpace(line))
		}
		if _, err := path.Match(words[0], ""); err != nil {
			return Accounts{}, fmt.Errorf("accounts, line %d: got %q, want a namespace, with * and ? for what may vary", number, words[0])
		}
		accounts.rules = append(accounts.rules, accountRule{words[0], words[1]})
	}
	return accounts, scanner.Err()
}

// Of is the account of a namespace: the ConfigMap's word, else the namespace's label, else its name.
func (a Accounts) Of(namespace string, labels map[string]string) string {
	for _, rule := range a.rules {
		if fits, _ := path.Match(rule.pattern, namespace); fits {
			return rule.account
		}
	}
	if account := labels[AccountLabel]; account != "" {
		return account
	}
	return namespace
}
