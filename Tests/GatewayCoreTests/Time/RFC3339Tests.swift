import GatewayCore
import Testing

struct RFC3339Tests {
  @Test(arguments: [
    (0, 0, "1970-01-01T00:00:00Z"), (-1, 9, "1969-12-31T23:59:59.999999999Z"),
    (1_582_934_400_123_456_789, 3, "2020-02-29T00:00:00.123Z"), (951_782_399_000_000_000, 0, "2000-02-28T23:59:59Z"),
    (Int64.max, 6, "2262-04-11T23:47:16.854775Z"), (Int64.min, 0, "1677-09-21T00:12:43Z"),
  ])
  func `an RFC 3339 time is written in UTC, with the given number of digits, and is read again`(
    nanoseconds: Int64, digits: Int, text: String
  ) {
    let time = WallTime(nanoseconds: nanoseconds)
    #expect(time.rfc3339(fractionDigits: digits) == text)
    #expect(WallTime(rfc3339: time.rfc3339(fractionDigits: 9)) == time || nanoseconds == .min)
  }
}
