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

// section is the part of the docs below a heading of the second level.
func section(t *testing.T, title string) string {
	t.Helper()
	_, found, there := strings.Cut(readDocs(t), "\n## "+title+"\n")
	if !there {
		t.Fatalf("%s: want the heading %q", docs, title)
	}
	found, _, _ = strings.Cut(found, "\n## ")
	return found
}

func TestExampleOfDocsInGo(t *testing.T) {
	got := runGo(t, blocks(section(t, "Go"), "go")[0], startExampleSite(t))
	check(t, "what the example prints", got, blocks(section(t, "Go"), "text")[0])
}

func TestExampleOfDocsInPython(t *testing.T) {
	text := section(t, "Python")
	program := ""
	for _, cell := range blocks(text, "python") {
		program += cell + "print('-- next', flush=True)\n"
	}
	got := strings.Split(runPython(t, program, startExampleSite(t)), "-- next\n")
	want := blocks(text, "text")
	for i := range want {
		check(t, fmt.Sprintf("what cell %d prints", i+1), got[i], want[i])
	}
	check(t, "cells", len(got)-1, len(want))
}

func TestExampleOfThePackageInPython(t *testing.T) {
	const readme, socket = "../../client/python/README.md", `"unix:/run/priorityd/grpc.socket"`
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	program := blocks(string(text), "python")[0]
	if !strings.Contains(program, socket) {
		t.Fatalf("%s: want the address %s", readme, socket)
	}
	program = "import os\n" + strings.Replace(program, socket, `os.environ["PRIORITYD_SERVER"]`, 1)
	if got := runPython(t, program, startExampleSite(t)); !strings.Contains(got, "'administrator'") {
		t.Errorf("got %q, want the roles of the caller", got)
	}
}

func TestExampleOfDocsInCpp(t *testing.T) {
	want := blocks(section(t, "C++"), "text")[0]
	check(t, "what the example prints", runCpp(t, startExampleSite(t)), want)
}

// The C++ of the docs is part of the program that the tests run.
func TestCppOfDocsIsCompiled(t *testing.T) {
	source, err := os.ReadFile("cpp/example.cc")
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range blocks(readDocs(t), "cpp") {
		if !strings.Contains(string(source), block) {
			t.Errorf("%s has C++ that cpp/example.cc has not:\n%s", docs, block)
		}
	}
}

func TestExamplesOfDocsProveWhoCalls(t *testing.T) {
	s := startSecuredSite(t)
	environment := []string{"PRIORITYD_SERVER=" + s.address, "PRIORITYD_TLS_CA=" + s.proofs.folder + "/ca.pem",
		"PRIORITYD_TOKEN_FILE=" + s.proofs.folder + "/token"}
	text := section(t, "Credentials and TLS")
	want := blocks(text, "text")[0]
	t.Run("Go", func(t *testing.T) {
		check(t, "what the example prints", runGo(t, blocks(text, "go")[0], environment), want)
	})
	t.Run("Python", func(t *testing.T) {
		check(t, "what the example prints", runPython(t, blocks(text, "python")[0], environment), want)
	})
	t.Run("C++", func(t *testing.T) {
		check(t, "what the example prints", runCpp(t, environment), want)
	})
}

func runGo(t *testing.T, program string, environment []string) string {
	t.Helper()
	folder, err := os.MkdirTemp(".", "example")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(folder)
	os.WriteFile(filepath.Join(folder, "main.go"), []byte(program), 0o600)
	return runExample(t, environment, "go", "run", "./"+folder)
}

func runPython(t *testing.T, program string, environment []string) string {
	t.Helper()
	python := absolute("../../.cache/python/bin/python")
	if missing := unless(python, "tools/python"); missing != "" {
		t.Skip("skipped, " + missing)
	}
	return runExample(t, environment, python, "-c", program)
}

func runCpp(t *testing.T, environment []string) string {
	t.Helper()
	example := binary("tests/conformance/cpp/example")
	if missing := unless(example, "bazel build -c opt //tests/conformance/cpp:example"); missing != "" {
		t.Fatal(missing)
	}
	return runExample(t, environment, example)
}

// startExampleSite starts a site with the users that the examples name, and returns the environment with its address.
func startExampleSite(t *testing.T) []string {
	t.Helper()
	return []string{"PRIORITYD_SERVER=" + startSite(t, []string{"amy", "ben"}, nil).conn.Target()}
}

func runExample(t *testing.T, environment []string, command ...string) string {
	t.Helper()
	example := exec.Command(command[0], command[1:]...)
	example.Env = append(os.Environ(), "PYTHONPATH="+absolute("../../client/python"), "PYTHONDONTWRITEBYTECODE=1")
	example.Env = append(example.Env, environment...)
	var complaint bytes.Buffer
	example.Stderr = &complaint
	out, err := example.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, complaint.String())
	}
	return string(out)
}
