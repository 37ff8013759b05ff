package import GatewayCore

/// A channel of a Sendbird application: `talk`, for instance.
package struct SendbirdChannel: Hashable, Sendable {
  /// The kind of a channel: open to anybody, for instance.
  package enum Kind: String, Hashable, Codable, Sendable, CaseIterable {
    /// Anybody may enter, and is in it while the connection lasts.
    case open
    /// Its members are kept, connected or not.
    case group
  }

  /// The properties that may be changed at any time: the name, for instance.
  package struct Properties: Hashable, Codable, Sendable {
    package var name = ""
    package var coverURL = ""
    package var customType: Name = ""
    package var data = ""
    package var isPublic = false
    package var isSuper = false
    package var isEphemeral = false
    package var isBroadcast = false
    /// Only operators may send.
    package var isFrozen = false
    /// In the order in which they were made operators.
    package var operators: [UserID] = []
    package var metadata: [Name: String] = [:]
    // Nil where there are none, as in the rows of before there could be any.
    private var counts: [Name: Int64]?
    private var pinned: [Int64]?

    package init() {}

    /// What the application counts.
    package var counters: [Name: Int64] {
      get { counts ?? [:] }
      set { counts = newValue.isEmpty ? nil : newValue }
    }

    /// The messages that are pinned, the newest pin last.
    package var pins: [Int64] {
      get { pinned ?? [] }
      set { pinned = newValue.isEmpty ? nil : newValue }
    }
  }

  package let url: Name
  package let kind: Kind
  /// Given once, rising from one channel to the next.
  package var number: Int64
  package let createdBy: UserID?
  package let createdAt: WallTime
  package var properties: Properties
  /// Whether a second group channel of the same members would be this one. Ends when somebody comes or goes.
  package var isDistinct: Bool
  /// Of a group channel, in the order in which they joined or were invited.
  package var members: [SendbirdMember]
  /// Who hears of what happens in a group channel.
  package var joined: Set<UserID>
  /// How many users are in an open channel.
  package var participantCount: Int
  package var lastMessage: SendbirdMessage?
  /// Those pinned messages that are still there, the newest pin first.
  package var pinnedMessages: [SendbirdMessage] = []

  /// A channel without members. The directory gives the number.
  package init(
    url: Name, kind: Kind, createdBy: UserID?, createdAt: WallTime, properties: Properties = Properties(),
    isDistinct: Bool = false, members: [SendbirdMember] = []
  ) {
    self.url = url
    self.kind = kind
    self.createdBy = createdBy
    self.createdAt = createdAt
    self.properties = properties
    self.isDistinct = isDistinct
    self.members = members
    joined = Set(members.lazy.filter { $0.state == .joined }.map(\.user))
    number = 0
    participantCount = 0
  }

  /// The member of that id.
  package func member(_ user: UserID) -> SendbirdMember? {
    members.first { $0.user == user }
  }

  package func isOperator(_ user: UserID) -> Bool {
    properties.operators.contains(user)
  }
}
