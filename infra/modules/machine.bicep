// One GPU VM. CREATING IT ALLOCATES IT, AND BILLS. `control vm create` alone sets the
// parameter that lets this module in; what it makes stays when the parameter is off again.
import { machine as Machine } from '../types.bicep'

@description('What it is.')
param machine Machine

@description('Its full name, with the region.')
param name string

@description('Where it runs.')
param location string

@description('The subnet that it is in.')
param subnetId string

@description('The address that it goes out by.')
param addressId string

@description('The identity that it has: its roles outlive it.')
param identityId string

@description('Which switch it belongs to: others leave it alone.')
param controlPlaneName string

@description('Who may log in where SSH was opened.')
param adminUsername string

@description('The public half of an SSH key.')
param sshPublicKey string

@description('What a new machine starts from, as `control payload render` prints it; no secret.')
param customData string

@description('The OS disk of a machine before, to be made again from; empty for a new one.')
param osDiskId string

@description('The tags of every resource.')
param tags { *: string }

@description('Whether it is made from an image; a disk that was used has its users and its data.')
var isNew = empty(osDiskId)

resource card 'Microsoft.Network/networkInterfaces@2026-03-01' = {
  name: 'nic-${name}'
  location: location
  tags: tags
  properties: {
    enableAcceleratedNetworking: true
    ipConfigurations: [
      {
        name: 'one'
        properties: {
          privateIPAllocationMethod: 'Dynamic'
          subnet: {
            id: subnetId
          }
          publicIPAddress: {
            id: addressId
          }
        }
      }
    ]
  }
}

// No extension here: they are refused while it is deallocated. No disk name: a second
// machine after the first would meet the first one's disk.
@onlyIfNotExists()
resource vm 'Microsoft.Compute/virtualMachines@2026-04-01' = {
  name: name
  location: location
  tags: union(tags, { 'controlled-by': controlPlaneName })
  identity: {
    type: 'UserAssigned'
    userAssignedIdentities: {
      '${identityId}': {}
    }
  }
  properties: {
    hardwareProfile: {
      vmSize: machine.size
    }
    securityProfile: machine.securityType == 'Standard'
      ? {
          // Written out: what is left out is Trusted Launch since 2025-11-01.
          securityType: 'Standard'
        }
      : {
          securityType: 'TrustedLaunch'
          uefiSettings: {
            secureBootEnabled: false
            vTpmEnabled: true
          }
        }
    storageProfile: isNew
      ? {
          imageReference: machine.image
          osDisk: {
            createOption: 'FromImage'
            deleteOption: 'Detach'
            diskSizeGB: 256
            caching: 'ReadWrite'
            managedDisk: {
              storageAccountType: 'Premium_LRS'
            }
          }
        }
      : {
          osDisk: {
            createOption: 'Attach'
            deleteOption: 'Detach'
            osType: 'Linux'
            caching: 'ReadWrite'
            managedDisk: {
              id: osDiskId
            }
          }
        }
    // A disk that was used refuses even an empty osProfile.
    ...(isNew
      ? {
          osProfile: {
            computerName: name
            adminUsername: adminUsername
            customData: base64(customData)
            linuxConfiguration: {
              disablePasswordAuthentication: true
              provisionVMAgent: true
              patchSettings: {
                assessmentMode: 'ImageDefault'
                patchMode: 'ImageDefault'
              }
              ssh: {
                publicKeys: [
                  {
                    path: '/home/${adminUsername}/.ssh/authorized_keys'
                    keyData: sshPublicKey
                  }
                ]
              }
            }
          }
        }
      : {})
    networkProfile: {
      networkInterfaces: [
        {
          id: card.id
          properties: {
            deleteOption: 'Detach'
          }
        }
      ]
    }
    diagnosticsProfile: {
      bootDiagnostics: {
        enabled: true
      }
    }
  }
}
