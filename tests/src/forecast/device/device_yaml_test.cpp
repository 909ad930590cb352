// A device written as a file of the device database and read back.
#include <gtest/gtest.h>

#include "src/forecast/device/device.hpp"
#include "tests/files.hpp"
#include "tests/src/forecast/device/made_device.hpp"

namespace epochcast::device {
namespace {

void expect_same(const Device& a, const Device& b) {
  EXPECT_EQ(a.label, b.label);
  EXPECT_EQ(a.names, b.names);
  EXPECT_EQ(a.types, b.types);
  EXPECT_EQ(a.memory_sizes_gb, b.memory_sizes_gb);
  EXPECT_EQ(a.architecture, b.architecture);
  EXPECT_EQ(a.assumed, b.assumed);
  for_each_field<DeviceFigures>([&](const auto& field) {
    const Figure& left = a.figures.*field.member;
    const Figure& right = b.figures.*field.member;
    EXPECT_EQ(left.value, right.value) << a.name << " " << field.name;
    EXPECT_EQ(left.source, right.source) << a.name << " " << field.name;
    EXPECT_EQ(left.checked, right.checked) << a.name << " " << field.name;
  });
}

TEST(DeviceYaml, EveryShippedDeviceComesBackAsItWas) {
  const TemporaryFolder folder;
  for (const auto& device : read_device_database(device_database_folder())) {
    const auto path = folder / (device.name + ".yaml");
    set_bytes(path, device_yaml(device, "a copy"));
    expect_same(device, read_device(path));
  }
}

TEST(DeviceYaml, TextThatYamlWouldTakeForSomethingElseComesBack) {
  const TemporaryFolder folder;
  Device device = made_device("odd", {});
  device.label = "Odd: \"card\" #3 \\ [x]";
  device.names = {"yes", "1.50", "a, b"};
  device.types = {"~"};
  device.assumed = "it is: so";
  device.figures.tdp_w = {0.1 + 0.2, "a: source # with signs", false};
  set_bytes(folder / "odd.yaml", device_yaml(device, "first line\nlabel: not this"));
  expect_same(device, read_device(folder / "odd.yaml"));
}

}  // namespace
}  // namespace epochcast::device
