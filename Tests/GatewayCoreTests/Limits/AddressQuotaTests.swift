import Testing

@testable import GatewayCore

struct AddressQuotaTests {
  private static let start = Instant(nanoseconds: 5_000_000_000)

  @Test
  func `an address has a quota for each minute, and is told when it may continue`() {
    var quota = AddressQuota(perMinute: 3)
    let waits = (0..<5).map { _ in quota.take("203.0.113.7", at: Self.start) }
    #expect(waits == [nil, nil, nil, .seconds(20), .seconds(20)])
    #expect(quota.refusals == 2)
    #expect(quota.take("203.0.113.8", at: Self.start) == nil, "others are not held to it")
    #expect(quota.take("203.0.113.7", at: Self.start + .seconds(20)) == nil)
    #expect(quota.take("203.0.113.7", at: Self.start + .seconds(21)) == .seconds(19))
  }

  @Test
  func `requests that another node let pass use up the quota, and are never refusals`() {
    var quota = AddressQuota(perMinute: 3)
    for _ in 0..<2 { quota.count("203.0.113.7", at: Self.start) }
    #expect(quota.take("203.0.113.7", at: Self.start) == nil)
    #expect(quota.take("203.0.113.7", at: Self.start) == .seconds(20) && quota.refusals == 1)
    quota.count("203.0.113.7", at: Self.start)
    #expect(quota.refusals == 1 && quota.take("203.0.113.7", at: Self.start + .seconds(20)) == nil)
  }

  @Test(arguments: [
    ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2"), ("2001:db8:1:2::9", "2001:db8:1:2"), ("2001:db8::9", "2001:db8:0:0"),
    ("::1", "0:0:0:0"), ("::", "0:0:0:0"), ("fe80::1%eth0", "fe80:0:0:0"), ("::ffff:203.0.113.7", "203.0.113.7"),
    ("203.0.113.7", "203.0.113.7"), ("", ""), (":", "0:0:0:0"), ("%", "%"),
  ])
  func `an IPv6 address counts by its first 64 bits, a mapped IPv4 address as itself`(address: String, key: String) {
    #expect(AddressQuota.key(of: address).text == key)
  }

  @Test
  func `addresses beyond the table's size share one quota, and idle addresses leave the table`() {
    var quota = AddressQuota(perMinute: 2, addressesMax: 10)
    let passed = (0..<1_000).count { quota.take("10.0.\($0 / 250).\($0 % 250)", at: Self.start) == nil }
    #expect(passed == 12)
    #expect(quota.take("192.0.2.1", at: Self.start) != nil)
    #expect(quota.take("192.0.2.1", at: Self.start + .seconds(120)) == nil)
    #expect((0..<1_000).count { quota.take("10.1.\($0 / 250).\($0 % 250)", at: Self.start + .seconds(121)) == nil } > 2)
  }
}
