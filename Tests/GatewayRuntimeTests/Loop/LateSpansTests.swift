import GatewayCore
import GatewayRuntime
import Testing

struct LateSpansTests {
  private static func at(_ milliseconds: Int) -> Instant { Instant(nanoseconds: Int64(milliseconds) * 1_000_000) }

  @Test
  func `a million late spans are stored in a few hundred without losing lost time`() {
    var spans = LateSpans()
    for number in 0..<1_000_000 {
      spans.add(from: Self.at(number * 100), to: Self.at(number * 100 + 100), lost: .milliseconds(30))
    }
    #expect(spans.all.count <= LateSpans.countMax)
    #expect(spans.all.reduce(.zero) { $0 + $1.lost } == .milliseconds(30_000_000))
    #expect(spans.all.last?.from == Self.at(99_999_900))
    #expect(zip(spans.all.dropFirst(), spans.all).allSatisfy { $0.from >= $1.to })
  }

  @Test
  func `no late span has more lost time than its length, and an empty one has none`() {
    var spans = LateSpans()
    spans.add(from: Self.at(0), to: Self.at(10), lost: .seconds(5))
    spans.add(from: Self.at(20), to: Self.at(20), lost: .seconds(5))
    spans.add(from: Self.at(30), to: Self.at(40), lost: .zero)
    #expect(spans.all == [LateSpans.Span(from: Self.at(0), to: Self.at(10), lost: .milliseconds(10))])
  }

  @Test
  func `a late span counts only the part between two times`() {
    let late = LateTimes([
      .init(from: .seconds(1), to: .seconds(3), lost: .milliseconds(1_500)),
      .init(from: .seconds(5), to: .seconds(6), lost: .milliseconds(200)),
    ])
    #expect(late.lost(from: .zero, to: .seconds(10)) == .milliseconds(1_700))
    #expect(late.lost(from: .milliseconds(2_900), to: .seconds(4)) == .milliseconds(100))
    #expect(late.lost(from: .seconds(3), to: .seconds(5)) == .zero)
    #expect(late.lost(from: .seconds(4), to: .seconds(2)) == .zero)
  }
}
