package import GatewayCore
import GatewayKit

/// A poll in one channel.
package struct SendbirdPoll: Hashable, StoreValue {
  package static let optionsMax = 20
  /// The most votes of all options together.
  package static let votesMax = 2_000

  /// An option of a poll.
  package struct Option: Hashable, Codable, Sendable {
    package let id: Int64
    package var text: String
    package let createdBy: UserID?
    package let createdAt: WallTime
    package var updatedAt: WallTime
    /// The voters in the order of their votes.
    package var voters: [UserID] = []
  }

  /// The number that the directory assigns, increasing.
  package var id: Int64 = 0
  package var title: String
  /// The application's data.
  package var data: String?
  package let createdBy: UserID?
  package let createdAt: WallTime
  package var updatedAt: WallTime
  /// The time at which it closes; nil for never.
  package var closeAt: WallTime?
  package private(set) var isClosed = false
  package var allowsSuggestions: Bool
  package var allowsMultipleVotes: Bool
  package private(set) var options: [Option] = []
  /// The channel in which it was sent, if it was.
  package var channel: Name?
  package var message: Int64?
  private var lastOption: Int64 = 0

  package init(title: String, data: String?, createdBy: UserID?, closeAt: WallTime?, at now: WallTime) {
    self.title = title
    self.data = data
    self.createdBy = createdBy
    self.closeAt = closeAt
    createdAt = now
    updatedAt = now
    allowsSuggestions = false
    allowsMultipleVotes = false
  }

  package func isOpen(at now: WallTime) -> Bool {
    !isClosed && (closeAt.map { now < $0 } ?? true)
  }

  package var voters: Set<UserID> { Set(options.flatMap(\.voters)) }

  // MARK: Changing

  /// Adds an option and returns its number.
  @discardableResult
  package mutating func add(_ text: String, by user: UserID?, at now: WallTime) throws(SendbirdChannelRefusal) -> Int64
  {
    guard options.count < Self.optionsMax else { throw .tooManyOptions }
    lastOption += 1
    options.append(Option(id: lastOption, text: text, createdBy: user, createdAt: now, updatedAt: now))
    updatedAt = now
    return lastOption
  }

  package mutating func rename(_ id: Int64, _ text: String, at now: WallTime) throws(SendbirdChannelRefusal) {
    guard let place = options.firstIndex(where: { $0.id == id }) else { throw .optionNotFound }
    options[place].text = text
    (options[place].updatedAt, updatedAt) = (now, now)
  }

  package mutating func remove(_ id: Int64, at now: WallTime) throws(SendbirdChannelRefusal) {
    guard options.contains(where: { $0.id == id }) else { throw .optionNotFound }
    options.removeAll { $0.id == id }
    updatedAt = now
  }

  /// Replaces the user's votes.
  package mutating func vote(_ chosen: Set<Int64>, by user: UserID, at now: WallTime) throws(SendbirdChannelRefusal) {
    guard isOpen(at: now) else { throw .pollClosed }
    guard chosen.isSubset(of: options.map(\.id)) else { throw .optionNotFound }
    guard allowsMultipleVotes || chosen.count <= 1 else { throw .tooManyVotes }
    for index in options.indices {
      let has = options[index].voters.contains(user)
      if has && !chosen.contains(options[index].id) { options[index].voters.removeAll { $0 == user } }
      if !has && chosen.contains(options[index].id) { options[index].voters.append(user) }
    }
    guard options.reduce(0, { $0 + $1.voters.count }) <= Self.votesMax else { throw .tooManyVotes }
    updatedAt = now
  }

  package mutating func close(at now: WallTime) {
    isClosed = true
    updatedAt = now
  }
}

/// The channel of a poll, and whether the poll was deleted.
struct SendbirdPollPlace: StoreValue {
  var poll: Int64
  var deletedAt: WallTime?
}
