// Our device functions in namespace std, beside the machine's host functions of those names.
#pragma once

namespace std {
#define __KS_USING(NAME) using ::NAME;
__KS_EACH_UNARY(__KS_USING)
__KS_EACH_BINARY(__KS_USING)
__KS_EACH_DECLARED_UNARY(__KS_USING)
__KS_EACH_DECLARED_BINARY(__KS_USING)
__KS_EACH_DECLARED_OTHER(__KS_USING)
#undef __KS_USING
} // namespace std
