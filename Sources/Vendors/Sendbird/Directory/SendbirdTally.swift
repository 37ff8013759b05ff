/// How much of channels a user has not read, and to how many they are invited.
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
