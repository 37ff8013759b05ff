package import GatewayCore
internal import GatewayKit

/// A call type as servers have set it, built in or their own. Its values override the type's defaults.
package struct StreamCallType: Hashable, StoreValue {
  package let name: String
  package let createdAt: WallTime
  package var updatedAt: WallTime
  /// The permissions of those roles that were set.
  package var grants: [Name: [String]] = [:]
  /// The built-in permissions that the application's own permissions stand for, as far as they are granted in this
  /// type.
  package var meanings: [Name: String]?
  /// The settings that were set: values as JSON text by path.
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

  /// The number of bytes that clients decide.
  package var footprint: Int {
    grants.reduce(0) { $0 + 64 + $1.key.text.utf8.count + $1.value.reduce(0) { $0 + 32 + $1.utf8.count } }
      + settings.reduce(0) { $0 + 64 + $1.value.utf8.count }
      + notifications.events.reduce(0) {
        $0 + 64 + ($1.value.title?.utf8.count ?? 0) + ($1.value.body?.utf8.count ?? 0)
      }
  }
}

/// The push notifications for the members of calls. The gateway pushes nothing.
package struct StreamCallNotifications: Hashable, Codable, Sendable {
  /// An event that is pushed.
  package enum Event: String, Hashable, Codable, Sendable, CaseIterable {
    case callLiveStarted = "call_live_started"
    case callMissed = "call_missed"
    case callNotification = "call_notification"
    case callRing = "call_ring"
    case sessionStarted = "session_started"
  }

  /// A setting of one event's notification.
  package struct Setting: Hashable, Codable, Sendable {
    package var isEnabled = true
    package var title: String?
    package var body: String?

    package init() {}
  }

  package var isEnabled = true
  /// The events that were set.
  package var events: [Event: Setting] = [:]

  package init() {}
}

/// A role that the application defines, e.g. `moderator`.
package struct StreamOwnRole: Hashable, StoreValue {
  package let name: Name
  package let createdAt: WallTime
}

/// A service for an application's push notifications, e.g. `firebase`. Its secrets are not stored.
package struct StreamPushProvider: Hashable, StoreValue {
  /// `firebase`, `apn`, `huawei` or `xiaomi`.
  package let type: String
  package let name: Name
  package let createdAt: WallTime
  package var updatedAt: WallTime
  /// The other properties: values as JSON text by name.
  package var members: StreamCustom
  package var disabledAt: WallTime?
}
