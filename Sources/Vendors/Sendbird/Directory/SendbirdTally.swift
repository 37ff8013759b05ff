/// The sum over channels of what a user has not read, and of those they are invited to: in four there is something to
/// read, for instance.
package struct SendbirdTally: Hashable, Sendable {
  package var messages = 0
  package var mentions = 0
  package var invitations = 0

  package init() {}

  package static func + (first: Self, second: Self) -> Self {
    var sum = first
    sum.messages += second.messages
    sum.mentions += second.mentions
    sum.invitations += second.invitations
    return sum
  }
}
