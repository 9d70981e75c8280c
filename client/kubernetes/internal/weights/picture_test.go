package weights

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "draw docs/weights.svg again")

const picture = "../../../../docs/weights.svg"

// The picture of docs/weights.md is of the courses that the tests check.
func TestThePictureShowsBothCourses(t *testing.T) {
	drawn := draw(run(unequalShares, unequalPast, true), run(unequalShares, unequalPast, false))
	if *update {
		if err := os.WriteFile(picture, []byte(drawn), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := os.ReadFile(picture); err != nil || string(text) != drawn {
		t.Errorf("%v: docs/weights.svg is not what this draws: go test ./internal/weights -run Picture -update", err)
	}
}

const (
	width, height            = 640, 300
	left, right, top, bottom = 56, 130, 20, 44
)

func at(halfLives, part float64) (x, y float64) {
	return left + (width-left-right)*halfLives/4, top + (height-top-bottom)*(1-part/0.8)
}

func draw(with, without course) string {
	var s strings.Builder
	fmt.Fprintf(&s, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" role="img" aria-label="Usage of three ClusterQueues with and without weights">`, width, height)
	s.WriteString("<style>text{font:13px sans-serif;fill:#555}.axis{stroke:#999}.grid{stroke:#9993}.share{stroke:#999;stroke-dasharray:2 3}" +
		"@media (prefers-color-scheme: dark){text{fill:#bbb}}</style>\n")
	for percent := 0; percent <= 80; percent += 20 {
		x, y := at(0, float64(percent)/100)
		fmt.Fprintf(&s, `<path class="grid" d="M%.1f %.1fH%d"/><text x="%.1f" y="%.1f" text-anchor="end">%d %%</text>`+"\n", x, y, width-right, x-8, y+4, percent)
	}
	for halfLives := range 5 {
		x, y := at(float64(halfLives), 0)
		fmt.Fprintf(&s, `<path class="axis" d="M%.1f %.1fv5"/><text x="%.1f" y="%.1f" text-anchor="middle">%d</text>`+"\n", x, y, x, y+20, halfLives)
	}
	fmt.Fprintf(&s, `<text x="%d" y="%d" text-anchor="middle">half-lives</text>`+"\n", (width+left-right)/2, height-6)
	for i, colour := range []string{"#c2410c", "#3949ab", "#0f766e"} {
		_, y := at(0, unequalShares[i])
		fmt.Fprintf(&s, `<path class="share" d="M%d %.1fH%d"/><text x="%d" y="%.1f" style="fill:%s">share %.0f %%</text>`+"\n",
			left, y, width-right, width-right+8, y+4, colour, 100*unequalShares[i])
		curve(&s, with, i, colour, "")
		curve(&s, without, i, colour, ` stroke-dasharray="7 4" opacity="0.6"`)
	}
	fmt.Fprintf(&s, `<text x="%d" y="%d">solid: with weights</text><text x="%d" y="%d">dashed: without</text></svg>`+"\n", left+260, top+14, left+260, top+32)
	return s.String()
}

// curve draws the usage of an account, twice an hour.
func curve(s *strings.Builder, c course, account int, colour, style string) {
	s.WriteString(`<polyline points="`)
	for i := 0; i < len(c.usage); i += 6 {
		x, y := at(4*float64(i)/float64(len(c.usage)), c.usage[i][account])
		fmt.Fprintf(s, "%.1f,%.1f ", x, y)
	}
	fmt.Fprintf(s, `" fill="none" stroke="%s" stroke-width="2"%s/>`+"\n", colour, style)
}
