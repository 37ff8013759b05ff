import GatewayCore
import Testing

@testable import GatewayStream

struct StreamDatesTests {
  @Test(arguments: [
    (0, "1970-01-01T00:00:00.000000000Z"), (1_730_905_057_532_556_375, "2024-11-06T14:57:37.532556375Z"),
    (951_782_400_000_000_001, "2000-02-29T00:00:00.000000001Z"), (-1, "1969-12-31T23:59:59.999999999Z"),
    (Int64.max, "2262-04-11T23:47:16.854775807Z"), (4_107_542_399_000_000_000, "2100-02-28T23:59:59.000000000Z"),
    (4_107_542_400_000_000_000, "2100-03-01T00:00:00.000000000Z"),
  ])
  func `dates are written as RFC 3339 in UTC, to the nanosecond`(nanoseconds: Int64, text: String) {
    let time = WallTime(nanoseconds: nanoseconds)
    #expect(StreamDates.text(time) == text)
    #expect(StreamDates.read(text) == time)
  }

  @Test(arguments: [
    ("2024-11-06T14:57:37Z", 1_730_905_057_000_000_000), ("2024-11-06T15:57:37.5+01:00", 1_730_905_057_500_000_000),
    ("2024-11-06 09:27:37.123456-05:30", 1_730_905_057_123_456_000),
    ("2024-11-06t14:57:37z", 1_730_905_057_000_000_000),
    ("2024-11-06T14:57:37.1234567891Z", 1_730_905_057_123_456_789),
    ("2024-11-06T14:57:37.5", 1_730_905_057_500_000_000),
  ])
  func `dates are read with any fraction and offset`(text: String, nanoseconds: Int64) {
    #expect(StreamDates.read(text)?.nanoseconds == nanoseconds)
  }

  @Test(arguments: [
    "", "2024-11-06", "2024-11-06T14:57", "2024-13-06T14:57:37Z", "2024-11-06T24:00:00Z", "2024-11-06T14:57:37.Z",
    "2024-11-06T14:57:37Z ", "now", "2024-11-06T14:57:37+1", "9999-01-01T00:00:00Z",
  ])
  func `text of another form is no date`(text: String) {
    #expect(StreamDates.read(text) == nil)
  }
}
