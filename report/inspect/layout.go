package inspect

import (
	"cmp"
	"math"
	"slices"
)

// box is a node of a drawing: its size, and once it is laid out the middle of its upper edge. Units are pixels.
type box struct {
	width, height float64
	x, y          float64
}

// arrow is an edge of a drawing: from and to index the boxes; once it is laid out, path leads from one to the other, and back tells
// that it runs against the layers.
type arrow struct {
	from, to int
	path     []point
	back     bool
}

type point struct{ x, y float64 }

// Distances of a drawing in pixels.
const (
	gapAcross  = 28.0 // between neighbours of a layer
	gapDown    = 44.0 // between layers
	bendWidth  = 6.0  // what an edge takes where it passes a layer
	sweeps     = 24   // over the layers, to order and to place them
	loopReach  = 26.0 // how far an edge from a box to itself goes aside
	manyArrows = 4000 // crossings are not minimised beyond
)

// layout places boxes in layers so that arrows lead downward, but for those that close loops: layers by the longest path, places
// within a layer by the neighbours' (Sugiyama's method), x by the least squared distance to the neighbours.
func layout(boxes []box, arrows []arrow) (width, height float64) {
	l := newLayers(boxes, arrows)
	l.order()
	l.place()
	return l.route()
}

// vertex is a box, or where an arrow passes a layer.
type vertex struct {
	box      int // -1 for a passing arrow
	width    float64
	layer    int
	x        float64
	up, down []int
}

type layers struct {
	boxes    []box
	arrows   []arrow
	vertices []vertex // the boxes first
	rows     [][]int
	chains   [][]int // of each arrow: its vertices downward; nil for one from a box to itself
}

func newLayers(boxes []box, arrows []arrow) *layers {
	l := &layers{boxes: boxes, arrows: arrows, chains: make([][]int, len(arrows))}
	for i := range boxes {
		l.vertices = append(l.vertices, vertex{box: i, width: boxes[i].width})
	}
	l.findLoops()
	l.rank()
	for i := range arrows {
		a := &arrows[i]
		if a.from == a.to {
			continue
		}
		upper, lower := a.from, a.to
		if a.back {
			upper, lower = lower, upper
		}
		chain := []int{upper}
		for layer := l.vertices[upper].layer + 1; layer < l.vertices[lower].layer; layer++ {
			l.vertices = append(l.vertices, vertex{box: -1, width: bendWidth, layer: layer})
			chain = append(chain, len(l.vertices)-1)
		}
		chain = append(chain, lower)
		for k := range chain[1:] {
			l.vertices[chain[k]].down = append(l.vertices[chain[k]].down, chain[k+1])
			l.vertices[chain[k+1]].up = append(l.vertices[chain[k+1]].up, chain[k])
		}
		l.chains[i] = chain
	}
	for i := range l.vertices {
		layer := l.vertices[i].layer
		for len(l.rows) <= layer {
			l.rows = append(l.rows, nil)
		}
		l.rows[layer] = append(l.rows[layer], i)
	}
	return l
}

// findLoops marks the arrows that lead back to a box on the path.
func (l *layers) findLoops() {
	out := make([][]int, len(l.boxes))
	for i, a := range l.arrows {
		out[a.from] = append(out[a.from], i)
	}
	const unseen, open, done = 0, 1, 2
	state := make([]int, len(l.boxes))
	type visit struct{ box, next int }
	for root := range l.boxes {
		if state[root] != unseen {
			continue
		}
		state[root] = open
		for path := []visit{{root, 0}}; len(path) > 0; {
			top := &path[len(path)-1]
			if top.next == len(out[top.box]) {
				state[top.box] = done
				path = path[:len(path)-1]
				continue
			}
			a := &l.arrows[out[top.box][top.next]]
			top.next++
			switch state[a.to] {
			case unseen:
				state[a.to] = open
				path = append(path, visit{a.to, 0})
			case open:
				a.back = true
			}
		}
	}
}

// rank gives each box the layer below its deepest predecessor.
func (l *layers) rank() {
	for changed := true; changed; {
		changed = false
		for _, a := range l.arrows {
			upper, lower := a.from, a.to
			if a.back {
				upper, lower = lower, upper
			}
			if upper != lower && l.vertices[lower].layer <= l.vertices[upper].layer {
				l.vertices[lower].layer = l.vertices[upper].layer + 1
				changed = true
			}
		}
	}
}

// order turns the rows about so that few arrows cross, and keeps the best of all sweeps.
func (l *layers) order() {
	if len(l.arrows) > manyArrows {
		return
	}
	place := make([]float64, len(l.vertices))
	number := func(row []int) {
		for k, v := range row {
			place[v] = float64(k)
		}
	}
	for _, row := range l.rows {
		number(row)
	}
	best, fewest := l.copyRows(), l.crossings(place)
	for sweep := range sweeps {
		for k := range l.rows {
			row := l.rows[k]
			if sweep%2 == 1 {
				row = l.rows[len(l.rows)-1-k]
			}
			middle := make(map[int]float64, len(row))
			for _, v := range row {
				near := l.vertices[v].up
				if sweep%2 == 1 {
					near = l.vertices[v].down
				}
				middle[v] = mean(near, place, place[v])
			}
			slices.SortStableFunc(row, func(a, b int) int { return cmp.Compare(middle[a], middle[b]) })
			number(row)
		}
		if n := l.crossings(place); n < fewest {
			best, fewest = l.copyRows(), n
		}
	}
	l.rows = best
}

func mean(list []int, value []float64, none float64) float64 {
	if len(list) == 0 {
		return none
	}
	sum := 0.0
	for _, v := range list {
		sum += value[v]
	}
	return sum / float64(len(list))
}

func (l *layers) copyRows() [][]int {
	rows := make([][]int, len(l.rows))
	for k := range rows {
		rows[k] = slices.Clone(l.rows[k])
	}
	return rows
}

// crossings counts the pairs of arrows that cross between neighbouring rows.
func (l *layers) crossings(place []float64) (n int) {
	for _, row := range l.rows {
		var ends [][2]float64
		for _, v := range row {
			for _, w := range l.vertices[v].down {
				ends = append(ends, [2]float64{place[v], place[w]})
			}
		}
		for i := range ends {
			for j := range ends[:i] {
				if (ends[i][0]-ends[j][0])*(ends[i][1]-ends[j][1]) < 0 {
					n++
				}
			}
		}
	}
	return n
}

// place gives vertices their x: rows packed at first, then drawn to their neighbours above and below in turn.
func (l *layers) place() {
	for _, row := range l.rows {
		x := 0.0
		for _, v := range row {
			l.vertices[v].x = x + l.vertices[v].width/2
			x += l.vertices[v].width + gapAcross
		}
	}
	for sweep := range 2 * sweeps {
		for k := range l.rows {
			row := l.rows[k]
			if sweep%2 == 1 {
				row = l.rows[len(l.rows)-1-k]
			}
			wanted, weight := make([]float64, len(row)), make([]float64, len(row))
			for i, v := range row {
				near := l.vertices[v].up
				if sweep%2 == 1 || len(near) == 0 {
					near = l.vertices[v].down
				}
				if sweep >= sweeps { // in the end by both sides at once
					near = slices.Concat(l.vertices[v].up, l.vertices[v].down)
				}
				wanted[i], weight[i] = l.vertices[v].x, 1
				if len(near) > 0 {
					sum := 0.0
					for _, w := range near {
						sum += l.vertices[w].x
					}
					wanted[i] = sum / float64(len(near))
				}
				if l.vertices[v].box < 0 {
					weight[i] = 4 // straight lines are easy to follow
				}
			}
			l.spread(row, wanted, weight)
		}
	}
}

// spread moves a row's vertices as near to where they want to be as their widths allow: isotonic regression of what is wanted less
// the sum of the widths before.
func (l *layers) spread(row []int, wanted, weight []float64) {
	type pool struct {
		value, weight float64
		count         int
	}
	offsets := make([]float64, len(row))
	for i := 1; i < len(row); i++ {
		offsets[i] = offsets[i-1] + (l.vertices[row[i-1]].width+l.vertices[row[i]].width)/2 + gapAcross
	}
	var pools []pool
	for i := range row {
		p := pool{wanted[i] - offsets[i], weight[i], 1}
		for len(pools) > 0 && pools[len(pools)-1].value > p.value {
			last := pools[len(pools)-1]
			sum := last.weight + p.weight
			p = pool{(last.value*last.weight + p.value*p.weight) / sum, sum, last.count + p.count}
			pools = pools[:len(pools)-1]
		}
		pools = append(pools, p)
	}
	i := 0
	for _, p := range pools {
		for range p.count {
			l.vertices[row[i]].x = p.value + offsets[i]
			i++
		}
	}
}

// route fills in the places of the boxes and the paths of the arrows, with nothing left of or above the origin.
func (l *layers) route() (width, height float64) {
	left := math.Inf(1)
	for i := range l.vertices {
		left = min(left, l.vertices[i].x-l.vertices[i].width/2)
	}
	tops, heights := make([]float64, len(l.rows)), make([]float64, len(l.rows))
	y := 0.0
	for k, row := range l.rows {
		for _, v := range row {
			l.vertices[v].x -= left
			width = max(width, l.vertices[v].x+l.vertices[v].width/2)
			if b := l.vertices[v].box; b >= 0 {
				heights[k] = max(heights[k], l.boxes[b].height)
			}
		}
		tops[k] = y
		y += heights[k] + gapDown
	}
	for i := range l.boxes {
		l.boxes[i].x, l.boxes[i].y = l.vertices[i].x, tops[l.vertices[i].layer]
	}
	between := map[[2]int]int{} // how many arrows lead directly between two boxes so far
	for i, chain := range l.chains {
		a := &l.arrows[i]
		if chain == nil {
			b := &l.boxes[a.from]
			right := b.x + b.width/2
			a.path = []point{{right, b.y + b.height*2/3}, {right + loopReach, b.y + b.height/2}, {right, b.y + b.height/3}}
			a.back = true
			width = max(width, right+loopReach)
			continue
		}
		first, last := chain[0], chain[len(chain)-1]
		nth := 0
		if len(chain) == 2 {
			nth = between[[2]int{first, last}]
			between[[2]int{first, last}]++
		}
		path := []point{{l.port(first, chain[1], nth, true), l.boxes[first].y + l.boxes[first].height}}
		for _, v := range chain[1 : len(chain)-1] {
			k := l.vertices[v].layer
			path = append(path, point{l.vertices[v].x, tops[k]}, point{l.vertices[v].x, tops[k] + heights[k]})
		}
		path = append(path, point{l.port(last, chain[len(chain)-2], nth, false), l.boxes[last].y})
		if a.back {
			slices.Reverse(path)
		}
		a.path = path
	}
	return width, max(y-gapDown, 0)
}

// port returns where at a box's lower or upper edge the nth arrow to a neighbour begins: arrows share the edge in the order of their
// neighbours.
func (l *layers) port(v, neighbour, nth int, lower bool) float64 {
	near := l.vertices[v].up
	if lower {
		near = l.vertices[v].down
	}
	before := nth
	for _, w := range near {
		if l.vertices[w].x < l.vertices[neighbour].x {
			before++
		}
	}
	share := (float64(before) + 0.5) / float64(len(near))
	return l.vertices[v].x + (share-0.5)*l.vertices[v].width*0.7
}
