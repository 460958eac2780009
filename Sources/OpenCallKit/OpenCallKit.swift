// OpenCallKit
