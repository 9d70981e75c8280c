"""Draws the pictures of docs/pictures: SVG, by arithmetic alone.

usage: pictures.py

Writes them; a test compares them with what this draws.
"""

import pathlib

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "docs" / "pictures"

WIDTH, HEIGHT = 640, 260
LEFT, RIGHT, TOP, BOTTOM = 56, 20, 20, 44
CURVES = ((1, "#c2410c", "half-life 1 day"), (7, "#3949ab", "half-life 7 days"), (30, "#0f766e", "half-life 30 days"))
DAYS = 30
STYLE = ("<style>text{font:13px sans-serif;fill:#555}.axis{stroke:#999}.grid{stroke:#9993}"
         ".box{fill:#3949ab18;stroke:#3949ab}.user{fill:#0f766e18;stroke:#0f766e}.edge{stroke:#999;fill:none}"
         "@media (prefers-color-scheme: dark){text{fill:#bbb}}</style>")


def all_pictures():
    """Name -> SVG."""
    return {"decay.svg": decay(), "tree.svg": tree()}


def svg(width, height, label, body):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img" aria-label="{label}">'
            f"{STYLE}{''.join(body)}</svg>\n")


def at(day, part):
    x = LEFT + (WIDTH - LEFT - RIGHT) * day / DAYS
    return x, TOP + (HEIGHT - TOP - BOTTOM) * (1 - part)


def text(x, y, words, anchor="start", colour=""):
    fill = f' style="fill:{colour}"' if colour else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{fill}>{words}</text>'


def decay():
    """What one unit of usage still counts, by its age: 2^(-age / half-life)."""
    body = []
    for quarter in range(5):
        x, y = at(0, quarter / 4)
        body += [f'<path class="grid" d="M{x:.1f} {y:.1f}H{WIDTH - RIGHT}"/>', text(x - 8, y + 4, f"{quarter * 25} %", "end")]
    for day in range(0, DAYS + 1, 5):
        x, y = at(day, 0)
        body += [f'<path class="axis" d="M{x:.1f} {y:.1f}v5"/>', text(x, y + 20, f"{day}", "middle")]
    body.append(text((WIDTH + LEFT) / 2, HEIGHT - 6, "age of the usage, in days", "middle"))
    for row, (half_life, colour, words) in enumerate(CURVES):
        points = [at(day / 4, 2 ** -(day / 4 / half_life)) for day in range(4 * DAYS + 1)]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        body.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        body.append(text(WIDTH - RIGHT - 4, TOP + 14 + 18 * (2 - row), words, "end", colour))
    return svg(WIDTH, HEIGHT, "What one unit of usage counts by its age", body)


# The association tree of deploy/example: name, raw shares, children.
EXAMPLE = ("root", "", (
    ("biol", 20, (("ann", 1, ()), ("hal", 1, ()), ("ian", 1, ()))),
    ("chem", 60, (("eve", 2, ()), ("fay", 1, ()), ("gus", 0, ()), ("joy", 1, ()))),
    ("phys", 40, (("phys1", 30, (("ann", 1, ()), ("bob", 3, ()))),
                  ("phys2", 10, (("cat", 1, ()), ("dan", "parent", ()))))),
))
BOX, GAP, LEVEL = 66, 8, 74


def tree():
    """Accounts as boxes, users below them, each with its raw shares."""
    body, next_x = [], [GAP]

    def place(node, depth):
        name, shares, children = node
        below = [place(child, depth + 1) for child in children]
        if below:
            middle = (below[0][0] + below[-1][0]) / 2
        else:
            middle = next_x[0] + BOX / 2
            next_x[0] += BOX + GAP
        y = GAP + depth * LEVEL
        body.extend(f'<path class="edge" d="M{middle:.1f} {y + 40}V{y + 56}H{x:.1f}V{below_y}"/>' for x, below_y in below)
        kind = "box" if children else "user"
        body.append(f'<rect class="{kind}" x="{middle - BOX / 2:.1f}" y="{y}" width="{BOX}" height="40" rx="6"/>')
        body.append(text(middle, y + (17 if shares != "" else 25), name, "middle"))
        if shares != "":
            body.append(text(middle, y + 33, f"{shares}", "middle"))
        return middle, y

    place(EXAMPLE, 0)
    return svg(next_x[0], GAP + 3 * LEVEL + 52, "The association tree of deploy/example with raw shares", body)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, picture in all_pictures().items():
        (FOLDER / name).write_text(picture, encoding="utf-8")
