/// A user's unread totals over channels, and the number of open invitations.
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
