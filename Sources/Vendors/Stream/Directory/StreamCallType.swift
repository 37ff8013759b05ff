package import GatewayCore
internal import GatewayKit

/// A call type as servers have set it, built in or of their own making: what they said, that guests may join for
/// instance, stands before what the type began with.
package struct StreamCallType: Hashable, StoreValue {
  package let name: String
  package let createdAt: WallTime
  package var updatedAt: WallTime
  /// The permissions of the roles of which something was said.
  package var grants: [Name: [String]] = [:]
  /// The built-in permissions that those of the application's own give as much as which are granted in it.
  package var meanings: [Name: String]?
  /// The settings of which something was said: the value as JSON text by its path.
  package var settings: [String: String] = [:]
  package var notifications = StreamCallNotifications()
  package var externalStorage: String?

  /// The most bytes of one type.
  package static let footprintMax = 64 << 10

  package init(name: String, createdAt: WallTime) {
    self.name = name
    self.createdAt = createdAt
    updatedAt = createdAt
  }

  /// The bytes that clients decide.
  package var footprint: Int {
    grants.reduce(0) { $0 + 64 + $1.key.text.utf8.count + $1.value.reduce(0) { $0 + 32 + $1.utf8.count } }
      + settings.reduce(0) { $0 + 64 + $1.value.utf8.count }
      + notifications.events.reduce(0) {
        $0 + 64 + ($1.value.title?.utf8.count ?? 0) + ($1.value.body?.utf8.count ?? 0)
      }
  }
}

/// The notifications that are pushed to the members of calls: of missed calls, for instance; nothing is pushed here.
package struct StreamCallNotifications: Hashable, Codable, Sendable {
  /// An event that is pushed: a ring, for instance.
  package enum Event: String, Hashable, Codable, Sendable, CaseIterable {
    case callLiveStarted = "call_live_started"
    case callMissed = "call_missed"
    case callNotification = "call_notification"
    case callRing = "call_ring"
    case sessionStarted = "session_started"
  }

  /// A setting of one event's notification: its title, for instance.
  package struct Setting: Hashable, Codable, Sendable {
    package var isEnabled = true
    package var title: String?
    package var body: String?

    package init() {}
  }

  package var isEnabled = true
  /// Those of which something was said.
  package var events: [Event: Setting] = [:]

  package init() {}
}

/// A role of the application's own: `moderator`, for instance.
package struct StreamOwnRole: Hashable, StoreValue {
  package let name: Name
  package let createdAt: WallTime
}

/// A service that an application's push notifications go through, `firebase` for instance; its secrets are not kept.
package struct StreamPushProvider: Hashable, StoreValue {
  /// `firebase`, `apn`, `huawei` or `xiaomi`.
  package let type: String
  package let name: Name
  package let createdAt: WallTime
  package var updatedAt: WallTime
  /// What else was said of it: the value as JSON text, by its name.
  package var members: StreamCustom
  package var disabledAt: WallTime?
}
