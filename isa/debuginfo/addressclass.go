package debuginfo

// AddressClass is the memory that a variable is in, from DW_AT_address_class for CUDA.
type AddressClass int64

// The address classes, with the codes of NVIDIA's PTX interoperability guide 13.0, section 5.2.
const (
	ClassNone           AddressClass = 0 // not given
	ClassCode           AddressClass = 1
	ClassRegister       AddressClass = 2
	ClassSpecial        AddressClass = 3
	ClassConst          AddressClass = 4
	ClassGlobal         AddressClass = 5
	ClassLocal          AddressClass = 6
	ClassParam          AddressClass = 7
	ClassShared         AddressClass = 8
	ClassSurface        AddressClass = 9
	ClassTexture        AddressClass = 10
	ClassTextureSampler AddressClass = 11
	ClassGeneric        AddressClass = 12
)

var classNames = [...]string{
	"", "code", "register", "special register", "constant", "global", "local", "parameter", "shared", "surface",
	"texture", "texture sampler", "generic",
}

// String names the memory; "" for a code that the guide does not define.
func (c AddressClass) String() string {
	if c < 0 || int(c) >= len(classNames) {
		return ""
	}
	return classNames[c]
}
