package workload

import (
	"encoding/hex"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// UserLabel has the submitting user, as the MutatingAdmissionPolicy of config/policy stamps it: `u-`, the name
// with characters that a label must not have as _XX (hexadecimal), `-u`. Kueue copies it to the Workload
// (integrations.labelKeysToCopy).
const UserLabel = "priorityd/user"

// UserAnnotation has the name if it does not fit the label, whose value is then longUser.
const (
	UserAnnotation = "priorityd/user"
	longUser       = "long"
)

var escaped = regexp.MustCompile(`_[0-9a-f]{2}`)

// DecodeUser is the name in a label's value; false = the policy has not stamped it.
func DecodeUser(value string) (string, bool) {
	inner, begins := strings.CutPrefix(value, "u-")
	inner, ends := strings.CutSuffix(inner, "-u")
	if !begins || !ends || inner == "" {
		return "", false
	}
	name := escaped.ReplaceAllStringFunc(inner, func(code string) string {
		byte, _ := hex.DecodeString(code[1:])
		return string(byte)
	})
	if !isName(name) {
		return "", false
	}
	return name, true
}

// isName reports whether priorityd takes a text as a name: one that is too long, or not UTF-8, fails the call with all other
// jobs.
func isName(text string) bool {
	return len(text) <= mostTextBytes && utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl)
}

// EncodeUser is the label's value for a name; false = it exceeds a label's 63 characters.
func EncodeUser(name string) (string, bool) {
	var b strings.Builder
	b.WriteString("u-")
	for i := range len(name) {
		if c := name[i]; isPlain(c) {
			b.WriteByte(c)
		} else {
			b.WriteString("_" + hex.EncodeToString([]byte{c}))
		}
	}
	b.WriteString("-u")
	return b.String(), name != "" && b.Len() <= 63
}

func isPlain(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '.'
}

// stampedUser is the user who submitted a Job or a Pod, by the policy's stamp; empty = no stamp.
func stampedUser(o *metav1.ObjectMeta) string {
	if long := o.Annotations[UserAnnotation]; o.Labels[UserLabel] == longUser && isName(long) {
		return long
	}
	name, _ := DecodeUser(o.Labels[UserLabel])
	return name
}
