package checkpoint

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// magic begins every file; the version of the format follows, in a byte.
const magic = "keplersim checkpoint\n"

// Version is the version of the format.
const Version = 1

// mostHeader and mostState are the most bytes of a header and a state.
const (
	mostHeader = 1 << 20
	mostState  = 1 << 36
)

// Identity is an input of a checkpoint that the resuming run must have, too: a name for messages, and a hash.
type Identity struct {
	Name string `json:"name"`
	Hash string `json:"hash"`
}

// Header is the header of a file.
type Header struct {
	// Build is the program that wrote it, for messages.
	Build string `json:"build"`
	// Taken is the device's cycle of the state, Asked the earliest cycle that was requested.
	Taken int64  `json:"taken"`
	Asked string `json:"asked"`
	// Launches is the number of completed launches, Kernels are the running ones.
	Launches int      `json:"launches"`
	Kernels  []string `json:"kernels"`
	// Identities are compared one by one. Prepared are the kernels that had been lowered, in a form that the writer knows.
	Identities []Identity `json:"identities"`
	Prepared   []string   `json:"prepared"`
	// State is the size of the state, and Sum the SHA-256 of its compressed bytes.
	State int64  `json:"state"`
	Sum   string `json:"sum"`
}

// Write writes a checkpoint.
func Write(out io.Writer, h Header, state []byte) error {
	compressor, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		return fmt.Errorf("compression of the checkpoint: %w", err)
	}
	defer func() { _ = compressor.Close() }() // it writes nothing by itself
	packed := compressor.EncodeAll(state, nil)
	sum := sha256.Sum256(packed)
	h.State, h.Sum = int64(len(state)), hex.EncodeToString(sum[:])
	text, err := json.Marshal(h)
	if err != nil {
		return fmt.Errorf("header of the checkpoint: %w", err)
	}
	head := append([]byte(magic), Version)
	head = binary.LittleEndian.AppendUint32(head, uint32(len(text)))
	head = append(head, text...)
	own := sha256.Sum256(head)
	for _, part := range [][]byte{head, own[:], packed} {
		if _, err := out.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// Read reads the header of a checkpoint, and returns a function that reads the state. Errors say what is wrong with the file.
func Read(in io.Reader) (h Header, state func() ([]byte, error), err error) {
	head := make([]byte, len(magic)+1+4)
	if _, err := io.ReadFull(in, head); err != nil || string(head[:len(magic)]) != magic {
		return h, nil, errors.New("this is not a checkpoint of keplersim: make one with 'keplersim run --save-at CYCLE --save-to FILE'")
	}
	if version := head[len(magic)]; version != Version {
		return h, nil, fmt.Errorf("a checkpoint of version %d, and this keplersim reads version %d: save it again", version, Version)
	}
	length := binary.LittleEndian.Uint32(head[len(magic)+1:])
	if length > mostHeader {
		return h, nil, errors.New("the checkpoint is damaged: its header cannot be so long")
	}
	rest := make([]byte, int(length)+sha256.Size)
	if _, err := io.ReadFull(in, rest); err != nil {
		return h, nil, errors.New("the checkpoint is damaged: it ends in its header")
	}
	text := rest[:length]
	if own := sha256.Sum256(append(head, text...)); !bytes.Equal(own[:], rest[length:]) {
		return h, nil, errors.New("the checkpoint is damaged: its header is not what was written")
	}
	if err := json.Unmarshal(text, &h); err != nil {
		return h, nil, fmt.Errorf("the checkpoint is damaged: its header: %w", err)
	}
	return h, func() ([]byte, error) { return readState(in, &h) }, nil
}

func readState(in io.Reader, h *Header) ([]byte, error) {
	if h.State < 0 || h.State > mostState {
		return nil, fmt.Errorf("the checkpoint is damaged: a state of %d bytes", h.State)
	}
	packed, err := io.ReadAll(in)
	if err != nil {
		return nil, fmt.Errorf("read the checkpoint: %w", err)
	}
	if sum := sha256.Sum256(packed); hex.EncodeToString(sum[:]) != h.Sum {
		return nil, errors.New("the checkpoint is damaged: its state is not what was written, or not all of it")
	}
	unpack, err := zstd.NewReader(bytes.NewReader(packed), zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, fmt.Errorf("compression of the checkpoint: %w", err)
	}
	defer unpack.Close()
	var state bytes.Buffer // it grows with the bytes read, whatever the header says
	if _, err := io.Copy(&state, io.LimitReader(unpack, h.State+1)); err != nil {
		return nil, fmt.Errorf("the checkpoint is damaged: %w", err)
	}
	if int64(state.Len()) != h.State {
		return nil, fmt.Errorf("the checkpoint is damaged: its state has other than %d bytes", h.State)
	}
	return state.Bytes(), nil
}

// Check compares a checkpoint's inputs with those here. The error names the differences.
func (h *Header) Check(here []Identity) error {
	if len(h.Identities) != len(here) {
		return fmt.Errorf("%w: it was made of %d things, and here are %d", ErrOther, len(h.Identities), len(here))
	}
	var differ []string
	for i, own := range here {
		if h.Identities[i] != own {
			differ = append(differ, own.Name)
		}
	}
	if differ == nil {
		return nil
	}
	return fmt.Errorf("the checkpoint cannot be resumed here: it was made with another %s; give what it was saved with (by %s), or save "+
		"it again", strings.Join(differ, ", or another "), h.Build)
}
