package workload

import (
	"strings"
)

// AccountLabel of a namespace names the account that its Workloads are charged to.
const AccountLabel = "priorityd/account"

// Names of service accounts, as the API server says them: of one, and of all those of a namespace together.
const (
	serviceAccount  = "system:serviceaccount:"
	serviceAccounts = "system:serviceaccounts:"
)

// Accounts says which account a namespace is charged to. The zero value knows labels and names only.
type Accounts struct{ rules []rule }

// ParseAccounts reads lines of `NAMESPACE ACCOUNT`, where NAMESPACE may have * and ? in it; # begins a
// comment. The first line that fits a namespace holds.
func ParseAccounts(text string) (Accounts, error) {
	rules, err := parseRules("accounts", text, "NAMESPACE ACCOUNT")
	return Accounts{rules}, err
}

// Of is the account of a namespace: the ConfigMap's word, else the namespace's label, else its name.
func (a Accounts) Of(namespace string, labels map[string]string) string {
	if account, ok := mapped(a.rules, namespace); ok {
		return account
	}
	if account := labels[AccountLabel]; account != "" {
		return account
	}
	return namespace
}

// Users says who in priorityd a user of Kubernetes is. The zero value knows names only.
type Users struct{ rules []rule }

// ParseUsers reads lines of `NAME USER`, as ParseAccounts does.
func ParseUsers(text string) (Users, error) {
	rules, err := parseRules("users", text, "NAME USER")
	return Users{rules}, err
}

// Of is the user of a name: the ConfigMap's word; else a service account is the one user
// system:serviceaccounts:NAMESPACE that all of its namespace are, as who may make service accounts would
// make shares otherwise; else the name.
func (u Users) Of(name string) string {
	if user, ok := mapped(u.rules, name); ok {
		return user
	}
	rest, ok := strings.CutPrefix(name, serviceAccount)
	namespace, _, whole := strings.Cut(rest, ":")
	if !ok || !whole {
		return name
	}
	return serviceAccounts + namespace
}
