// SPDX-License-Identifier: Apache-2.0
//
// Whom a process stands for: the words, and what each of them covers.
#include "engine/store/role.hpp"

#include <gtest/gtest.h>

namespace nvmlab {
namespace {

Role found(const char* text) {
  Role role = Role::actual;
  EXPECT_TRUE(find_role(text, &role)) << text;
  return role;
}

TEST(Roles, HaveWords) {
  EXPECT_EQ(found("root"), Role::root);
  EXPECT_EQ(found("user"), Role::user);
  EXPECT_EQ(found("mig-config"), Role::mig_config);
  EXPECT_EQ(found("mig-monitor"), Role::mig_monitor);
  EXPECT_EQ(found("mig-config,mig-monitor"), found("mig-monitor,mig-config"));
  Role role = Role::actual;
  for (const char* wrong : {"", "admin", "Root", "root ", "root,user", "mig", "mig-config,", ",mig-config",
                            "mig-config,,mig-monitor", "mig-config,root", "mig-configuration"})
    EXPECT_FALSE(find_role(wrong, &role)) << wrong;
  EXPECT_EQ(role, Role::actual);
}

TEST(Roles, CoverWhatOthersAreThereFor) {
  const Role both = found("mig-config,mig-monitor");
  for (const Role role : {Role::user, Role::mig_config, Role::mig_monitor, both})
    EXPECT_TRUE(covers(Role::root, role));
  EXPECT_FALSE(covers(both, Role::root));
  EXPECT_TRUE(covers(both, Role::mig_config));
  EXPECT_TRUE(covers(both, Role::mig_monitor));
  EXPECT_FALSE(covers(Role::mig_config, Role::mig_monitor));
  EXPECT_FALSE(covers(Role::mig_monitor, Role::mig_config));
  EXPECT_FALSE(covers(Role::user, Role::mig_config));
}

}  // namespace
}  // namespace nvmlab
