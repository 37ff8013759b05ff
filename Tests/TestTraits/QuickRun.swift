internal import Foundation

/// The run of `Tests/run quick`, which leaves out what takes long.
package enum QuickRun {
  package static let isOn = ProcessInfo.processInfo.environment["POSTERN_QUICK"] != nil
}
