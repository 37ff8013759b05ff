/// A user's unread totals over channels, and the number of open invitations.
struct SendbirdTally: Hashable, Sendable {
  var messages = 0
  var mentions = 0
  var invitations = 0

  static func + (first: Self, second: Self) -> Self {
    var sum = first
    sum.messages += second.messages
    sum.mentions += second.mentions
    sum.invitations += second.invitations
    return sum
  }
}
