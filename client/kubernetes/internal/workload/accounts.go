package workload

import (
	"strings"
)

// AccountLabel of a namespace names the account that its Workloads are charged to.
const AccountLabel = "priorityd/account"

// Names of service accounts, as the API server has them: of one, and of all of a namespace together.
const (
	serviceAccount  = "system:serviceaccount:"
	serviceAccounts = "system:serviceaccounts:"
)

// Accounts maps namespaces to accounts. The zero value uses only labels and names.
type Accounts struct{ rules []rule }

// ParseAccounts reads lines of `NAMESPACE ACCOUNT`, where NAMESPACE may contain * and ?; # begins a comment. The
// first line that matches a namespace applies.
func ParseAccounts(text string) (Accounts, error) {
	rules, err := parseRules("accounts", text, "NAMESPACE ACCOUNT")
	return Accounts{rules}, err
}

// Of is the account of a namespace: by the ConfigMap, else by the namespace's label, else its name.
func (a Accounts) Of(namespace string, labels map[string]string) string {
	if account, ok := mapped(a.rules, namespace); ok {
		return account
	}
	if account := labels[AccountLabel]; account != "" {
		return account
	}
	return namespace
}

// Users maps users of Kubernetes to users of priorityd. The zero value uses only names.
type Users struct{ rules []rule }

// ParseUsers reads lines of `NAME USER`, as ParseAccounts does.
func ParseUsers(text string) (Users, error) {
	rules, err := parseRules("users", text, "NAME USER")
	return Users{rules}, err
}

// Of is the user of a name: by the ConfigMap; else, for a service account, the user
// system:serviceaccounts:NAMESPACE, shared by its namespace, so that nobody gains shares by creating service
// accounts; else the name.
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
