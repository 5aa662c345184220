package debug

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-dap"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/internal/access"
)

// client is the other end of the protocol.
type client struct {
	t        *testing.T
	in       *bufio.Reader
	out      io.Writer
	sequence int
	port     *access.Port
	ended    chan error
}

// connect serves a kernel and returns its client.
func connect(t *testing.T, o Options) *client {
	c := &client{t: t, ended: make(chan error, 1)}
	port, err := access.Listen("127.0.0.1:0", t.Output())
	require.NoError(t, err)
	t.Cleanup(func() { port.Close() })
	c.port = port
	go func() {
		c.ended <- ServeAt(t.Context(), port, func(a Launch) (Options, error) {
			assert.Equal(t, o.File, a.Program)
			return o, nil
		})
	}()
	c.dial()
	return c
}

// dial connects to the port.
func (c *client) dial() {
	c.t.Helper()
	connection, err := net.Dial("tcp", c.port.Addr().String())
	require.NoError(c.t, err)
	c.t.Cleanup(func() { connection.Close() })
	c.in, c.out = bufio.NewReader(connection), connection
}

// launch asks to debug a file.
func (c *client) launch(file string) {
	c.t.Helper()
	arguments, err := json.Marshal(Launch{Program: file, Token: c.port.Token})
	require.NoError(c.t, err)
	ask[*dap.LaunchResponse](c, &dap.LaunchRequest{Request: c.request("launch"), Arguments: arguments})
}

// A client without the right token is disconnected before its file is opened, and so is one that sends too much before its launch. The next
// client may then try.
func TestDebugAdapterKnowsItsClient(t *testing.T) {
	o := reverse(t, "fixed", false)
	c := connect(t, o)
	for _, said := range []string{`{"program": "/etc/passwd"}`, `{"program": "/etc/passwd", "token": "0123456789abcdef0123456789"}`} {
		require.NoError(t, dap.WriteProtocolMessage(c.out, &dap.LaunchRequest{Request: c.request("launch"), Arguments: []byte(said)}))
		answer, err := dap.ReadProtocolMessage(c.in)
		require.NoError(t, err)
		require.IsType(t, &dap.ErrorResponse{}, answer)
		assert.Contains(t, answer.(*dap.ErrorResponse).Message, "is not that of this port")
		_, err = dap.ReadProtocolMessage(c.in)
		assert.Error(t, err, "the client is sent away")
		c.dial()
	}
	_, _ = io.Copy(c.out, strings.NewReader(strings.Repeat("x", 10<<20))) // it is disconnected
	c.dial()
	c.launch(o.File)
	ask[*dap.DisconnectResponse](c, &dap.DisconnectRequest{Request: c.request("disconnect")})
	require.NoError(t, <-c.ended)
}

// request prepares a request's header.
func (c *client) request(command string) dap.Request {
	c.sequence++
	return dap.Request{ProtocolMessage: dap.ProtocolMessage{Seq: c.sequence, Type: "request"}, Command: command}
}

// await reads messages up to the first of a type.
func await[M dap.Message](c *client) (m M) {
	c.t.Helper()
	for {
		got, err := dap.ReadProtocolMessage(c.in)
		require.NoError(c.t, err)
		switch got := got.(type) {
		case M:
			return got
		case *dap.ErrorResponse:
			c.t.Fatalf("refused: %s", got.Message)
		}
	}
}

// ask sends a request and reads its response.
func ask[M dap.Message](c *client, m dap.Message) M {
	c.t.Helper()
	require.NoError(c.t, dap.WriteProtocolMessage(c.out, m))
	return await[M](c)
}

// scopes requests a frame's scopes.
func (c *client) scopes(frame int) []dap.Scope {
	c.t.Helper()
	return ask[*dap.ScopesResponse](c, &dap.ScopesRequest{Request: c.request("scopes"),
		Arguments: dap.ScopesArguments{FrameId: frame}}).Body.Scopes
}

// variables requests the parts behind a reference.
func (c *client) variables(reference int) []dap.Variable {
	c.t.Helper()
	return ask[*dap.VariablesResponse](c, &dap.VariablesRequest{Request: c.request("variables"),
		Arguments: dap.VariablesArguments{VariablesReference: reference}}).Body.Variables
}

// A client sets a conditional breakpoint, stops, looks across the warp, steps back and on, goes back to the breakpoint, and disconnects.
func TestDebugAdapterProtocol(t *testing.T) {
	o := reverse(t, "fixed", false)
	c := connect(t, o)
	capabilities := ask[*dap.InitializeResponse](c, &dap.InitializeRequest{Request: c.request("initialize")})
	assert.True(t, capabilities.Body.SupportsStepBack)
	assert.True(t, capabilities.Body.SupportsConditionalBreakpoints)
	c.launch(o.File)
	await[*dap.InitializedEvent](c)
	set := ask[*dap.SetBreakpointsResponse](c, &dap.SetBreakpointsRequest{Request: c.request("setBreakpoints"),
		Arguments: dap.SetBreakpointsArguments{
			Source: dap.Source{Path: "/home/someone/shared.cu"}, Breakpoints: []dap.SourceBreakpoint{{Line: 8, Condition: "tid.x == 40"},
				{Line: 6, Condition: "tid.x =="}},
		}})
	require.Len(t, set.Body.Breakpoints, 2)
	assert.True(t, set.Body.Breakpoints[0].Verified)
	assert.False(t, set.Body.Breakpoints[1].Verified, "a condition that cannot be read")
	require.NoError(t, dap.WriteProtocolMessage(c.out, &dap.ConfigurationDoneRequest{Request: c.request("configurationDone")}))
	stopped := await[*dap.StoppedEvent](c)
	assert.Equal(t, "breakpoint", stopped.Body.Reason)
	assert.Equal(t, []int{set.Body.Breakpoints[0].Id}, stopped.Body.HitBreakpointIds)
	assert.Equal(t, 2, stopped.Body.ThreadId, "warp 1")

	threads := ask[*dap.ThreadsResponse](c, &dap.ThreadsRequest{Request: c.request("threads")})
	require.Len(t, threads.Body.Threads, 2)
	assert.Equal(t, "block (0,0,0), warp 1", threads.Body.Threads[1].Name)
	place := func() (int, string) {
		stack := ask[*dap.StackTraceResponse](c, &dap.StackTraceRequest{Request: c.request("stackTrace"),
			Arguments: dap.StackTraceArguments{ThreadId: 2}})
		require.NotEmpty(t, stack.Body.StackFrames)
		return stack.Body.StackFrames[0].Line, stack.Body.StackFrames[0].Source.Name
	}
	line, file := place()
	assert.Equal(t, 8, line)
	assert.Equal(t, "shared.cu", file)
	evaluate := func(text, in string) string {
		return ask[*dap.EvaluateResponse](c, &dap.EvaluateRequest{Request: c.request("evaluate"),
			Arguments: dap.EvaluateArguments{Expression: text, Context: in}}).Body.Result
	}
	assert.Equal(t, "103 (0x67)", evaluate("u32(shared[4*3])", "watch"), "warp 0 has stored what stands in i")
	assert.Equal(t, 32, len(strings.Split(evaluate("lanes tid.x", "repl"), "\n")), "a value across the warp")

	scopes := c.scopes(2)
	require.Len(t, scopes, 3)
	across := c.variables(scopes[1].VariablesReference)
	require.NotEmpty(t, across)
	assert.Len(t, c.variables(across[0].VariablesReference), 32)
	assert.Equal(t, "R0", c.variables(scopes[0].VariablesReference)[0].Name)

	// Registers have these values again after a step back and forwards.
	before := c.variables(scopes[0].VariablesReference)
	require.NoError(t, dap.WriteProtocolMessage(c.out, &dap.StepBackRequest{Request: c.request("stepBack"),
		Arguments: dap.StepBackArguments{ThreadId: 2, Granularity: "instruction"}}))
	assert.Equal(t, "step", await[*dap.StoppedEvent](c).Body.Reason)
	require.NoError(t, dap.WriteProtocolMessage(c.out, &dap.NextRequest{Request: c.request("next"),
		Arguments: dap.NextArguments{ThreadId: 2, Granularity: "instruction"}}))
	await[*dap.StoppedEvent](c)
	line, _ = place()
	assert.Equal(t, 8, line)
	assert.Equal(t, before, c.variables(c.scopes(2)[0].VariablesReference))

	require.NoError(t, dap.WriteProtocolMessage(c.out, &dap.NextRequest{Request: c.request("next"),
		Arguments: dap.NextArguments{ThreadId: 2}}))
	await[*dap.StoppedEvent](c)
	require.NoError(t, dap.WriteProtocolMessage(c.out, &dap.ReverseContinueRequest{Request: c.request("reverseContinue")}))
	again := await[*dap.StoppedEvent](c)
	assert.Equal(t, "breakpoint", again.Body.Reason)
	line, _ = place()
	assert.Equal(t, 8, line)

	ask[*dap.DisconnectResponse](c, &dap.DisconnectRequest{Request: c.request("disconnect")})
	select {
	case err := <-c.ended:
		require.NoError(t, err)
	case <-time.After(10 * time.Second):
		t.Fatal("the adapter goes on")
	}
}

// Hazards are an exception that clients may select. The end is reported with the error.
func TestDebugAdapterStopsAtHazards(t *testing.T) {
	o := reverse(t, "bug", false)
	c := connect(t, o)
	ask[*dap.InitializeResponse](c, &dap.InitializeRequest{Request: c.request("initialize")})
	c.launch(o.File)
	ask[*dap.SetExceptionBreakpointsResponse](c, &dap.SetExceptionBreakpointsRequest{
		Request: c.request("setExceptionBreakpoints"), Arguments: dap.SetExceptionBreakpointsArguments{Filters: []string{"hazard"}},
	})
	require.NoError(t, dap.WriteProtocolMessage(c.out, &dap.ConfigurationDoneRequest{Request: c.request("configurationDone")}))
	stopped := await[*dap.StoppedEvent](c)
	assert.Equal(t, "exception", stopped.Body.Reason)
	assert.Contains(t, stopped.Body.Text, "shared.cu:8")
	require.NoError(t, dap.WriteProtocolMessage(c.out, &dap.ContinueRequest{Request: c.request("continue")}))
	await[*dap.TerminatedEvent](c)
	ask[*dap.DisconnectResponse](c, &dap.DisconnectRequest{Request: c.request("disconnect")})
}

// A client sees the source variables: a lane's arguments and locals, their members and elements, one value for each lane, and the variables
// of inlined functions. Conditions can use them.
func TestDebugAdapterHasVariables(t *testing.T) {
	o := walk(t, true, false)
	c := connect(t, o)
	ask[*dap.InitializeResponse](c, &dap.InitializeRequest{Request: c.request("initialize")})
	c.launch(o.File)
	await[*dap.InitializedEvent](c)
	ask[*dap.SetBreakpointsResponse](c, &dap.SetBreakpointsRequest{Request: c.request("setBreakpoints"),
		Arguments: dap.SetBreakpointsArguments{Source: dap.Source{Path: "/home/someone/" + walkSource},
			Breakpoints: []dap.SourceBreakpoint{{Line: marked(t, "in triple"), Condition: "i == 1 && t > 31 && v == 7 + t + i"}}}})
	require.NoError(t, dap.WriteProtocolMessage(c.out, &dap.ConfigurationDoneRequest{Request: c.request("configurationDone")}))
	stopped := await[*dap.StoppedEvent](c)
	require.Equal(t, 2, stopped.Body.ThreadId)
	stack := ask[*dap.StackTraceResponse](c, &dap.StackTraceRequest{Request: c.request("stackTrace"),
		Arguments: dap.StackTraceArguments{ThreadId: 2}}).Body.StackFrames
	require.Len(t, stack, 2)
	assert.Equal(t, marked(t, "in triple"), stack[0].Line)
	assert.Equal(t, "triple inlined at testdata/variables.cu:54", stack[1].Name)

	byName := func(list []dap.Variable) map[string]dap.Variable {
		all := map[string]dap.Variable{}
		for _, v := range list {
			all[v.Name] = v
		}
		return all
	}
	scopes := map[string]int{}
	for _, s := range c.scopes(stack[0].Id) {
		scopes[s.Name] = s.VariablesReference
	}
	assert.Equal(t, "40", byName(c.variables(scopes["Arguments of lane 0"]))["v"].Value, "in[33]")
	assert.Equal(t, "120", byName(c.variables(scopes["Locals of lane 0"]))["w"].Value)
	outer := byName(c.variables(scopes["Arguments of lane 0, walk"]))
	assert.Equal(t, []string{"3", "int"}, []string{outer["n"].Value, outer["n"].Type})
	locals := byName(c.variables(scopes["Locals of lane 0, walk"]))
	assert.Equal(t, "1", locals["i"].Value)
	p := byName(c.variables(locals["p"].VariablesReference))
	assert.Equal(t, []string{"48", "p.x"}, []string{p["x"].Value, p["x"].EvaluateName}, "1.5 * 32")
	next := byName(c.variables(p["next"].VariablesReference))
	assert.Equal(t, "*p.next", next["*"].EvaluateName)
	assert.Equal(t, "16", byName(c.variables(next["*"].VariablesReference))["y"].Value)
	tile := c.variables(locals["tile"].VariablesReference)
	require.Len(t, tile, 64)
	assert.Equal(t, dap.Variable{Name: "[63]", Value: "70", Type: "int", EvaluateName: "tile[63]"}, tile[63])
	assert.Equal(t, "2.5", c.variables(byName(c.variables(scopes["Globals"]))["scale"].VariablesReference)[1].Value)
	across := byName(c.variables(scopes["Across the warp"]))
	for lane, v := range c.variables(across["w"].VariablesReference) {
		assert.Equal(t, strconv.Itoa(3*(7+(32+lane+1)%64)), v.Value)
	}
	evaluated := ask[*dap.EvaluateResponse](c, &dap.EvaluateRequest{Request: c.request("evaluate"),
		Arguments: dap.EvaluateArguments{Expression: "p.next->name", Context: "hover", FrameId: stack[0].Id}}).Body
	assert.Equal(t, strconv.Quote("g"), evaluated.Result, "a + 32 % 26")
	assert.Len(t, c.variables(evaluated.VariablesReference), 8)
	ask[*dap.DisconnectResponse](c, &dap.DisconnectRequest{Request: c.request("disconnect")})
}
