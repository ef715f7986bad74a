// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Target/JoinPtx.h"
#include "gtest/gtest.h"

using tilefold::joinPtx;

namespace {

const std::string header = "//\n// Generated\n//\n\n.version 7.0\n.target sm_80\n.address_size 64\n\n";

std::string kernel(const std::string &name, const std::string &declarations, const std::string &body, const std::string &tail) {
  return header + "\t// .globl\t" + name + "\n" + declarations + ".visible .entry " + name + "()\n{\n" + body + "\n}\n" + tail;
}

TEST(JoinPtx, NumbersLabelsStacksAndFilesOn) {
  const std::string shared = ".extern .shared .align 128 .b8 shared_memory[];\n\n";
  const std::string section = "\t.section\t.debug_macinfo\t{\t}\n";
  const std::string first = kernel("a", "", "$L__func_begin0:\n\t.loc\t1 5 3\n\tbra \t$L__BB0_1;\n$L__tmp0:\n$L__tmp1:\n$L__func_end0:\n",
                                   section + "\t.file\t1 \"x/a.h\"\n\t.file\t2 \"all.h\"\n");
  const std::string second =
      kernel("b", shared,
             "$L__func_begin0:\n\t.local .align 8 .b8 \t__local_depot0[56];\n\tmov.b64 \t%SPL, __local_depot0;\n\t.loc\t1 7 1\n"
             "\t.loc\t2 9 1\n\t@%p1 bra \t$L__BB0_12;\n$L__tmp0:\n$L__func_end0:\n",
             section + "\t.file\t1 \"all.h\"\n\t.file\t2 \"b.h\"\n");
  EXPECT_EQ(joinPtx({first, second}),
            header + "\t// .globl\ta\n" + shared +
                ".visible .entry a()\n{\n$L__func_begin0:\n\t.loc\t1 5 3\n\tbra \t$L__BB0_1;\n$L__tmp0:\n$L__tmp1:\n$L__func_end0:\n\n}\n"
                "\t// .globl\tb\n"
                ".visible .entry b()\n{\n$L__func_begin1:\n\t.local .align 8 .b8 \t__local_depot1[56];\n\tmov.b64 \t%SPL, __local_depot1;\n"
                "\t.loc\t2 7 1\n\t.loc\t3 9 1\n\t@%p1 bra \t$L__BB1_12;\n$L__tmp2:\n$L__func_end1:\n\n}\n" +
                section + "\t.file\t1 \"x/a.h\"\n\t.file\t2 \"all.h\"\n\t.file\t3 \"b.h\"\n");
}

TEST(JoinPtx, LeavesNamesOfUsersAlone) {
  const std::string name = "x__local_depot0", use = "\tst.param.b32 \t[" + name + "_param_0], 7;\n";
  EXPECT_EQ(joinPtx({kernel("a", "", "", ""), kernel(name, "", use, "")}),
            header + "\t// .globl\ta\n.visible .entry a()\n{\n\n}\n\t// .globl\t" + name + "\n.visible .entry " + name + "()\n{\n" + use + "\n}\n");
}

TEST(JoinPtx, RefusesOtherForms) {
  const std::string good = kernel("a", "", "", "");
  EXPECT_FALSE(joinPtx({good, header}));
  EXPECT_FALSE(joinPtx({good, ""}));
  EXPECT_FALSE(joinPtx({good, good.substr(0, good.size() - 3)}));
  std::string later = kernel("b", "", "", "");
  later.replace(later.find("7.0"), 3, "8.1");
  EXPECT_FALSE(joinPtx({good, later}));
  EXPECT_FALSE(joinPtx({good, good + "\t// .globl\tc\n.visible .entry c()\n{\n\n}\n"})) << "two kernels";
}

} // namespace
