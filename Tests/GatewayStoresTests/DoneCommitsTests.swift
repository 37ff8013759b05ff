import GatewayCore
import GatewayKit
import GatewayStores
import Testing

struct DoneCommitsTests {
  private let now = WallTime(seconds: 1_000)

  private func id(_ number: UInt64) -> StoreCommitID { StoreCommitID(process: 1, number: number) }

  @Test
  func `the list of done commits is bounded, and the oldest go first`() {
    var done = DoneCommits(countMax: 10)
    for number in 1...1_000 as ClosedRange<UInt64> {
      done.note(id(number), StoreVersion(number), at: now)
      #expect(done.contains(id(number)) && done.count == min(10, number))
    }
    #expect((980...1_000).map { done.contains(id($0)) } == (980...1_000).map { $0 > 990 })
    #expect(done.oldest == StoreVersion(991))
  }

  @Test
  func `a done commit is forgotten after a minute, at any time of day`() {
    var done = DoneCommits()
    for (number, second) in [0, 1, 60, 60].enumerated() {
      done.note(id(UInt64(number)), StoreVersion(UInt64(number)), at: now + .seconds(second))
    }
    #expect((0..<4).map { done.contains(id($0)) } == [false, true, true, true])
    done.note(id(9), StoreVersion(9), at: WallTime(nanoseconds: .max))
    done.note(id(10), StoreVersion(10), at: WallTime(nanoseconds: .min))
    #expect((0..<4).map { done.contains(id($0)) } == [false, false, false, false])
    #expect(done.contains(id(10)) && done.oldest != nil)
  }

  @Test
  func `done commits are listed from a version on, and removed back to it`() {
    var done = DoneCommits()
    for number in [1, 2, 5, 6] as [UInt64] { done.note(id(number), StoreVersion(number), at: now) }
    #expect(done.ids(after: .absent) == [1, 2, 5, 6].map { id($0) })
    #expect(done.ids(after: StoreVersion(3)) == [id(5), id(6)])
    #expect(done.ids(after: StoreVersion(6)).isEmpty)
    done.forget(after: StoreVersion(3))
    #expect(done.ids(after: .absent) == [id(1), id(2)] && !done.contains(id(5)))
    done.forget(after: .absent)
    #expect(done.count == 0 && done.oldest == nil && done.ids(after: .absent).isEmpty)
  }
}
