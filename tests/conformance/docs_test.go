package conformance

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	docs  = "../../docs/clients.md"
	mark  = "go test -run Docs -update -->\n"
	named = "`%s`"
)

var update = flag.Bool("update", false, "write the table into "+docs)

func readDocs(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(docs)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The table states the results of TestLibraries, which fails for a case that a library does not pass.
func TestTableOfDocsIsThatOfTheCases(t *testing.T) {
	text := readDocs(t)
	before, after, found := strings.Cut(text, mark)
	if !found {
		t.Fatalf("%s: want %q", docs, mark)
	}
	want := "\n" + table(t)
	if *update {
		os.WriteFile(docs, []byte(before+mark+want), 0o644)
		return
	}
	check(t, "the table of "+docs+" (-update writes it)", after, want)
}

func table(t *testing.T) string {
	t.Helper()
	text := "| case | claim | C++ | Go | Python | asyncio |\n|---|---|---|---|---|---|\n"
	for _, c := range readCases(t) {
		text += fmt.Sprintf("| "+named+" | %s |", c.Name, c.What)
		for _, library := range []string{"C++", "Go", "Python", "Python asyncio"} {
			passes := "✓"
			if slices.Contains(c.Without, library) {
				passes = "—"
			}
			text += " " + passes + " |"
		}
		text += "\n"
	}
	return text
}

func TestCasesThatDocsNameAreThere(t *testing.T) {
	cases := readCases(t)
	names := regexp.MustCompile("`((?:call|stream|watch|proof|secured)(?:-[a-z-]+)?|health)`")
	for _, match := range names.FindAllStringSubmatch(readDocs(t), -1) {
		there := false
		for _, c := range cases {
			there = there || c.Name == match[1]
		}
		if !there {
			t.Errorf("%s names the case %s, which is not there", docs, match[1])
		}
	}
}

// blocks are the code blocks of one language in the docs.
func blocks(text, language string) []string {
	var found []string
	for _, match := range regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```$").FindAllStringSubmatch(text, -1) {
		found = append(found, match[1])
	}
	return found
}

func TestExampleOfDocsInGo(t *testing.T) {
	address := startExampleSite(t)
	_, section, _ := strings.Cut(readDocs(t), "\n## Go\n")
	folder, err := os.MkdirTemp(".", "example")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(folder)
	os.WriteFile(filepath.Join(folder, "main.go"), []byte(blocks(section, "go")[0]), 0o600)
	got := runExample(t, address, "go", "run", "./"+folder)
	check(t, "what the example prints", got, blocks(section, "text")[0])
}

func TestExampleOfDocsInPython(t *testing.T) {
	python := absolute("../../.cache/python/bin/python")
	if missing := unless(python, "tools/python"); missing != "" {
		t.Skip("skipped, " + missing)
	}
	address := startExampleSite(t)
	_, section, _ := strings.Cut(readDocs(t), "\n## Python\n")
	section, _, _ = strings.Cut(section, "\n## Go\n")
	program := ""
	for _, cell := range blocks(section, "python") {
		program += cell + "print('-- next', flush=True)\n"
	}
	got := strings.Split(runExample(t, address, python, "-c", program), "-- next\n")
	want := blocks(section, "text")
	for i := range want {
		check(t, fmt.Sprintf("what cell %d prints", i+1), got[i], want[i])
	}
	check(t, "cells", len(got)-1, len(want))
}

// startExampleSite starts a site with the users that the examples name, and returns its address.
func startExampleSite(t *testing.T) string {
	t.Helper()
	return startSite(t, []string{"amy", "ben"}, nil).conn.Target()
}

func runExample(t *testing.T, address string, command ...string) string {
	t.Helper()
	example := exec.Command(command[0], command[1:]...)
	example.Env = append(os.Environ(), "PRIORITYD_SERVER="+address, "PYTHONPATH="+absolute("../../client/python"),
		"PYTHONDONTWRITEBYTECODE=1")
	var complaint bytes.Buffer
	example.Stderr = &complaint
	out, err := example.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, complaint.String())
	}
	return string(out)
}
