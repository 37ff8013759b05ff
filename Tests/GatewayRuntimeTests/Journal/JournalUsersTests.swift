import GatewayCore
import Testing

@testable import GatewayRuntime

struct JournalUsersTests {
  private func user(_ number: Int) -> UserID { UserID("user-\(number)") }

  @Test
  func `10,000 users each keep their number while connections of theirs exist`() {
    var users = JournalUsers()
    let numbers = (0..<10_000).map { users.take(user($0), holders: 1, next: UInt64($0) + 1, first: 1) }
    #expect(Set(numbers).count == 10_000)
    #expect(users.count == 10_000)
    for (index, number) in numbers.enumerated() {
      #expect(users.number(of: user(index)) == number)
      #expect(users[number] == user(index))
    }
    #expect(users.number(of: user(10_000)) == nil)
    #expect(users.take(user(17), holders: 1, next: 20_000, first: 1) == numbers[17])
  }

  @Test
  func `a number is given to another user only when no record of the ring names its first user`() {
    var users = JournalUsers()
    let ann = users.take(UserID("ann"), holders: 1, next: 1, first: 1)
    let bob = users.take(UserID("bob"), holders: 1, next: 2, first: 1)
    users.release(bob, last: 500)
    for index in 0..<10_000 {
      let next = UInt64(index) + 3
      let number = users.take(user(index), holders: 0, next: next, first: next > 64 ? next - 64 : 1)
      // Ann is still held, and a record of the ring may name Bob until number 565.
      #expect(number != ann)
      if next <= 564 { #expect(number != bob) }
    }
    #expect(users[ann] == UserID("ann"))
    #expect(users.number(of: UserID("bob")) == nil)
    #expect(users.count < 3_000)
    for index in 9_980..<10_000 { #expect(users.number(of: user(index)).flatMap { users[$0] } == user(index)) }
  }

  @Test
  func `numbers without a user name no user`() {
    var users = JournalUsers()
    #expect(users[0] == nil && users[1] == nil && users[.max] == nil)
    let ann = users.take(UserID("ann"), holders: 0, next: 1, first: 1)
    users.release(ann, last: 1)
    users.release(0, last: 1)
    #expect(users[ann] == UserID("ann"))
  }
}
